#include "cli/print.h"

#include <doctest/doctest.h>

#include "cli/fail.h"

using namespace skein::cli;

TEST_CASE("numbers") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(UINT64_MAX) == "18,446,744,073,709,551,615");
  CHECK(seconds(0) == "0.000000000");
  CHECK(seconds(5'898'599'766) == "5.898599766");
  CHECK(seconds(UINT64_MAX) == "18446744073.709551615");
  std::string text;
  append_signed(text, INT64_MIN);
  append_number(text, UINT64_MAX);
  CHECK(text == "-922337203685477580818446744073709551615");
}

TEST_CASE("a full disk is noticed") {
  std::FILE* full = std::fopen("/dev/full", "w");
  REQUIRE(full);
  Output out(full);
  out.text() = "something";
  CHECK_THROWS_AS(out.finish(), CommandError);
  std::fclose(full);
}
