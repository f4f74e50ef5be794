#include "trace/read/strings.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein;

TEST_CASE("equal strings have equal ids, others have distinct ids") {
  Strings strings;
  CHECK(strings.intern("") == 0);
  const StringId one = strings.intern("one");
  const StringId two = strings.intern("two");
  CHECK(one != two);
  CHECK(strings.intern("one") == one);
  CHECK(strings[one] == "one");
  CHECK(strings[two] == "two");
  CHECK(strings[0].empty());
  CHECK(strings[12345].empty());
}

TEST_CASE("a string may contain any bytes") {
  Strings strings;
  const std::string zero("a\0b", 3);
  const StringId id = strings.intern(zero);
  CHECK(strings[id] == zero);
  CHECK(strings.intern("a") != id);
}

TEST_CASE("many strings") {
  Strings strings;
  for (int i = 0; i < 20000; i++) strings.intern("text number " + std::to_string(i));
  CHECK(strings.size() == 20001);
  for (int i = 0; i < 20000; i++) {
    const std::string text = "text number " + std::to_string(i);
    REQUIRE(strings[strings.intern(text)] == text);
  }
  CHECK(strings.size() == 20001);
}
