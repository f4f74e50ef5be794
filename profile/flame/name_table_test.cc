#include "profile/flame/name_table.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("a name is kept once") {
  NameTable names;
  CHECK(names.add("") == 0);
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 1; i < 5000; i++) CHECK(names.add("name " + std::to_string(i)) == i);
  CHECK(names.size() == 5000);
  CHECK(names[4999] == "name 4999");
  CHECK(names.take().size() == 5000);
}
