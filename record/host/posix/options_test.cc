#include "record/host/posix/options.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>

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

TEST_CASE("what a ring keeps, with a unit of time, and how large all rings become") {
  Options options;
  CHECK(parse_options("t,keep=10s,most=1G", options) == nullptr);
  CHECK(options.keep_ns == 10'000'000'000);
  CHECK(options.most == 1u << 30);
  CHECK(parse_options("t,keep=500ms", options) == nullptr);
  CHECK(options.keep_ns == 500'000'000);
  CHECK(parse_options("t,keep=2min", options) == nullptr);
  CHECK(options.keep_ns == 120'000'000'000);
  CHECK(parse_options("t,keep=1440min", options) == nullptr);
}

TEST_CASE("all files at start are for 16 threads, or for as many as requested") {
  Options options;
  CHECK(parse_options("t", options) == nullptr);
  CHECK(options.all_files_for == 0);
  CHECK(parse_options("t,all-files-at-start", options) == nullptr);
  CHECK(options.all_files_for == 16);
  CHECK(parse_options("t,all-files-at-start=3", options) == nullptr);
  CHECK(options.all_files_for == 3);
}

TEST_CASE("children are followed if requested") {
  Options options;
  CHECK(parse_options("t,follow=fork", options) == nullptr);
  CHECK(options.follow_forks);
  CHECK(parse_options("t,follow=none", options) == nullptr);
  CHECK_FALSE(options.follow_forks);
}

TEST_CASE("a clock") {
  for (const std::string clock : {"tsc", "monotonic", "syscall"}) {
    Options options;
    CHECK(parse_options(("t,clock=" + clock).c_str(), options) == nullptr);
    CHECK(options.monotonic == (clock != "tsc"));
    CHECK(options.clock_by_call == (clock == "syscall"));
  }
}

TEST_CASE("the rate of samples") {
  Options options;
  CHECK(parse_options("t", options) == nullptr);
  CHECK(options.sample_rate == 0);
  CHECK(parse_options("t,sample", options) == nullptr);
  CHECK(options.sample_rate == skein::record::kDefaultSampleRate);
  CHECK(parse_options("t,sample=10000", options) == nullptr);
  CHECK(options.sample_rate == 10'000);
  uint32_t rate = 0;
  CHECK(skein::record::parse_sample_rate("97", rate) == nullptr);
  CHECK(rate == 97);
  CHECK(skein::record::parse_sample_rate("on", rate) != nullptr);
}

TEST_CASE("an empty directory selects the default") {
  Options options;
  CHECK(parse_options(",mode=log", options) == nullptr);
  CHECK(options.directory[0] == 0);
}

TEST_CASE("an invalid option is reported with its problem") {
  const std::string unknown =
      "unknown option; use: dir[,size=1M][,keep=5s][,most=256M][,mode=ring|log][,tasks=N]"
      "[,clock=tsc|monotonic|syscall][,follow=fork][,all-files-at-start[=THREADS]][,sample[=HZ]]";
  const std::string size = "size= requires a number, e.g. 512k, 4M";
  const std::string positive = "size= must be positive";
  const std::string large = "size= is too large; the maximum is 16G";
  struct Case {
    const char* text;
    std::string message;
  };
  const std::initializer_list<Case> cases = {
      {"t,", unknown},
      {"t,ring", unknown},
      {"t,size=", size},
      {"t,size=-", size},
      {"t,size=--1", size},
      {"t,size=-x", size},
      {"t,size=0", positive},
      {"t,size=0G", positive},
      {"t,size=-1", positive},
      {"t,size=-4k", positive},
      {"t,size=-100G", positive},
      {"t,size=-99999999999999999999", positive},
      {"t,size=4Q", size},
      {"t,size=4MM", size},
      {"t,size=100x0", size},
      {"t,size=17G", large},
      {"t,size=100G", large},
      {"t,size=17179869185", large},
      {"t,size=99999999999999999999", large},
      {"t,size=99999999999999999999G", large},
      {"t,keep=10", "keep= requires a time, e.g. 500ms, 10s, 2min"},
      {"t,keep=10m", "keep= requires a time, e.g. 500ms, 10s, 2min"},
      {"t,keep=10M", "keep= requires a time, e.g. 500ms, 10s, 2min"},
      {"t,keep=0s", "keep= must be positive"},
      {"t,keep=1441min", "keep= is too long; the maximum is 1440min"},
      {"t,keep=99999999999999999999min", "keep= is too long; the maximum is 1440min"},
      {"t,most=all", "most= requires a number, e.g. 64M, 1G"},
      {"t,most=0", "most= must be positive"},
      {"t,most=17G", "most= is too large; the maximum is 16G"},
      {"t,mode=log,keep=5s", "keep= and most= apply only to mode=ring; a log keeps everything"},
      {"t,most=1G,mode=log", "keep= and most= apply only to mode=ring; a log keeps everything"},
      {"t,all-files-at-start,keep=5s",
       "all-files-at-start creates rings that do not grow: use size instead of keep and most"},
      {"t,mode=both", "mode= must be ring or log"},
      {"t,mode=", "mode= must be ring or log"},
      {"t,tasks=many", "tasks= requires a number, e.g. 64k"},
      {"t,tasks=-4", "tasks= must be positive"},
      {"t,tasks=4G", "tasks= is too large; the maximum is 64M"},
      {"t,clock=hpet", "clock= must be tsc, monotonic or syscall"},
      {"t,all-files-at-start=", "all-files-at-start= requires a number of threads"},
      {"t,all-files-at-start=0", "all-files-at-start= must be positive"},
      {"t,all-files-at-start=5000", "all-files-at-start= is too large; the maximum is 4096"},
      {"t,all-files-at-start,mode=log", "all-files-at-start applies only to mode=ring"},
      {"t,all-files-at-starts", unknown},
      {"t,follow=exec", "follow= must be fork or none"},
      {"t,sample=", "sample= requires a number of samples per second"},
      {"t,sample=1k", "sample= requires a number of samples per second"},
      {"t,sample=0", "sample= must be positive"},
      {"t,sample=10001", "sample= is too large; the maximum is 10000"},
      {"t,samples", unknown},
  };
  for (const auto& one : cases) {
    CAPTURE(one.text);
    Options options;
    const char* wrong = parse_options(one.text, options);
    REQUIRE(wrong != nullptr);
    CHECK(wrong == one.message);
  }
}

TEST_CASE("the largest size is accepted") {
  for (const char* text : {"t,size=16G", "t,size=17179869184"}) {
    Options options;
    CHECK(parse_options(text, options) == nullptr);
    CHECK(options.size == uint64_t{16} << 30);
  }
}

TEST_CASE("a directory name that is too long is rejected, not truncated") {
  Options options;
  CHECK(parse_options(std::string(5000, 'd').c_str(), options) ==
        std::string("the directory name is too long"));
}
