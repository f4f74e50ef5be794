#include "base/duration.h"

#include <doctest/doctest.h>

#include "base/text.h"

using namespace skein;

TEST_CASE("a duration has a unit") {
  CHECK(parse_duration("7ns") == 7);
  CHECK(parse_duration(" 20us ") == 20e3);
  CHECK(parse_duration("20 \u00b5s") == 20e3);
  CHECK(parse_duration("20 \u03bcs") == 20e3);
  CHECK(parse_duration("1.5 ms") == 1.5e6);
  CHECK(parse_duration("3 s") == 3e9);
  CHECK(parse_duration("1e3s") == 1e12);
  CHECK(parse_duration("-1s") == -1e9);
  CHECK(parse_duration("2min") == 120e9);
  CHECK(parse_duration("1 h") == 3600e9);
  CHECK(parse_duration("2d") == 2 * 86400e9);
}

TEST_CASE("a number without a unit is in seconds") {
  CHECK(parse_duration("0") == 0);
  CHECK(parse_duration("1.5") == 1.5e9);
}

TEST_CASE("a printed duration can be parsed") {
  for (const double ns : {0.0, 999.0, 1.25e6, 3e9, 600e9, 1002e9, 7200e9, 86400e9 * 400})
    CHECK(parse_duration(duration_text(ns)).value() == doctest::Approx(ns));
}

TEST_CASE("an invalid duration is rejected") {
  for (const char* text :
       {"", " ", "ms", "1 parsec", "1 s 2", "1,5 s", "nan", "inf", "1e999", "1e308 d", "--1s"})
    CHECK_MESSAGE(!parse_duration(text), text);
}
