#include "record/host/posix/options.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

using skein::record::Options;
using skein::record::parse_options;

TEST_CASE("a directory alone takes all defaults") {
  Options options;
  CHECK(parse_options("/tmp/trace", options) == nullptr);
  CHECK(std::string(options.directory) == "/tmp/trace");
  CHECK(options.size == 0);
  CHECK_FALSE(options.log);
}

TEST_CASE("options follow in any order, sizes with units") {
  Options options;
  CHECK(parse_options("t,mode=log,size=4M,tasks=64k,clock=monotonic", options) == nullptr);
  CHECK(options.log);
  CHECK(options.size == 4u << 20);
  CHECK(options.tasks == 64u << 10);
  CHECK(options.monotonic);
}

TEST_CASE("an empty directory stands for the default one") {
  Options options;
  CHECK(parse_options(",mode=log", options) == nullptr);
  CHECK(options.directory[0] == 0);
}

TEST_CASE("what is wrong is said") {
  for (const char* text : {"t,", "t,size=", "t,size=0", "t,size=4Q", "t,size=4MM", "t,size=-1",
                           "t,size=99999999999999999999", "t,mode=both", "t,mode=", "t,ring",
                           "t,tasks=4G", "t,clock=hpet", "t,size=17G"}) {
    CAPTURE(text);
    Options options;
    CHECK(parse_options(text, options) != nullptr);
  }
}

TEST_CASE("a directory longer than there is room for is refused, not cut") {
  Options options;
  CHECK(parse_options(std::string(5000, 'd').c_str(), options) != nullptr);
}
