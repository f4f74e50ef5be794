#include "cli/check/case_pattern.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace skein::cli;
using Names = std::vector<std::string>;

TEST_CASE("a question mark replaces what means something in a pattern") {
  CHECK(glob_of("Sizes/a-b:c*.Works", "*?:-") == "Sizes/a?b?c?.Works");
  CHECK(glob_of("one, two", ",\\*?") == "one? two");
}

TEST_CASE("a pattern may select other names") {
  const Names names = {"a-b", "a:b", "A-b", "a-bc"};
  const std::string* const other = also_selected("a?b", "a-b", names, false);
  REQUIRE(other != nullptr);
  CHECK(*other == "a:b");
  CHECK(also_selected("a-b", "a-b", names, false) == nullptr);
  REQUIRE(also_selected("a-b", "a-b", names, true) != nullptr);
  CHECK(*also_selected("a-b", "a-b", names, true) == "A-b");
}

TEST_CASE("Catch2's special characters are escaped") {
  CHECK(catch_patterns("a queue")[0] == "a queue");
  CHECK(catch_patterns("one, [two] \"\\\"")[0] == R"(one\, \[two\] \"\\\")");
  CHECK(catch_patterns("~Buffer ~x")[0] == R"(\~Buffer ~x)");
  CHECK(catch_patterns("-dash-first")[0] == R"(\-dash-first)");
  CHECK(catch_patterns("- dash")[0] == R"(\-\ dash)");
  CHECK(catch_patterns("exclude:x")[0] == "Exclude:x");
  CHECK(catch_patterns("*all*")[0] == "**all**");
  CHECK(catch_patterns("a * b")[0] == "a * b");
  // Some versions drop a pattern of nothing but escapes.
  CHECK(catch_patterns("~") == Names{"\"~\"", R"(\~)"});
  CHECK(catch_patterns("[]")[0] == "\"[]\"");
}

TEST_CASE("Catch2 selects plain names only") {
  const Names names = {"a queue", "Twin", "twin"};
  CHECK(is_plain_in_catch("a queue", names));
  for (const char* name :
       {"twin", "Twin", "a, b", "a [b]", "\"", "\\", "*a", "~a", "-a", "#a", "exclude:a"})
    CHECK_FALSE_MESSAGE(is_plain_in_catch(name, names), name);
}

}  // namespace
