#include "base/percent.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("a percentage has one decimal") {
  CHECK(percent_text(1, 3) == "33.3 %");
  CHECK(percent_text(1, 6) == "16.7 %");
  CHECK(percent_text(5, 5) == "100.0 %");
  CHECK(percent_text(3, 2) == "150.0 %");
  CHECK(percent_text(1, 1e6) == "0.0 %");
  CHECK(percent_text(0, 0) == "0.0 %");
  CHECK(percent_text(7, 0) == "0.0 %");
}
