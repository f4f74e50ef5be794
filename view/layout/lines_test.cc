#include "view/layout/lines.h"

#include <doctest/doctest.h>

#include <array>

using namespace skein;

TEST_CASE("folded rows have no height") {
  constexpr std::array<uint32_t, 6> numbers = {0, 1, 1, 1, 2, 3};  // rows 1 and 2 are folded
  const Lines lines = numbers;
  CHECK(!is_folded(lines, 0));
  CHECK(is_folded(lines, 1));
  CHECK(is_folded(lines, 2));
  CHECK(!is_folded(lines, 3));
  CHECK(!is_folded(lines, 99));
  CHECK(line_of(lines, 0.5) == 0.5);
  CHECK(line_of(lines, 1) == 1);
  CHECK(line_of(lines, 2.7) == 1);
  CHECK(line_of(lines, 3.25) == 1.25);
  CHECK(line_of(lines, 7) == 5);  // below the last
  CHECK(line_of(lines, -2) == -2);
  CHECK(row_in(lines, 0.5) == 0.5);
  CHECK(row_in(lines, 1) == 3);
  CHECK(row_in(lines, 1.25) == 3.25);
  CHECK(row_in(lines, 5) == 7);
  CHECK(row_in(lines, -2) == -2);
}

TEST_CASE("without lines every row has its own") {
  CHECK(line_of({}, 3.5) == 3.5);
  CHECK(row_in({}, 3.5) == 3.5);
  CHECK(!is_folded({}, 3));
}
