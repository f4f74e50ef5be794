#include "view/gtk/duration.h"

#include <doctest/doctest.h>

using skein::desktop::parse_duration;

TEST_CASE("a duration is read with and without a unit") {
  CHECK(parse_duration("700") == 700);
  CHECK(parse_duration("1.5 ms") == 1'500'000);
  CHECK(parse_duration(" 20us ") == 20'000);
  CHECK(parse_duration("20 µs") == 20'000);
  CHECK(parse_duration("3 s") == 3'000'000'000);
  CHECK(parse_duration("2min") == 120'000'000'000);
  CHECK(parse_duration("0") == 0);
}

TEST_CASE("an invalid duration is rejected") {
  for (const char* text :
       {"", " ", "ms", "-1 s", "1 parsec", "1 s 2", "nan", "inf", "1e5", "99999999999 s"})
    CHECK_MESSAGE(!parse_duration(text), text);
}
