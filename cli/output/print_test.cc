#include "cli/output/print.h"

#include <doctest/doctest.h>

#include "cli/die.h"

using namespace skein::cli;

TEST_CASE("a full disk is an error") {
  std::FILE* full = std::fopen("/dev/full", "w");
  REQUIRE(full);
  Output out(full);
  out.text() = "something";
  CHECK_THROWS_AS(out.finish(), CommandError);
  std::fclose(full);
}
