#include "report/info.h"

#include <doctest/doctest.h>

#include "trace/model/example.h"

using namespace skein;

namespace {

Trace example() {
  Example e = ours(R"(
     0 create 1 as coroutine query
     1 resume 1
     5 label 1 late
     6 should_resolve 1
     9 suspend 1
  )");
  e.trace.info.clock = "x86 TSC";
  return std::move(e.trace);
}

}  // namespace

TEST_CASE("the contents of a trace") {
  const Trace trace = example();
  const std::string text = info_text(trace, summarize(trace));
  for (const char* part :
       {"format      skein, 0 packets in 0 streams\n", "clock       x86 TSC\n",
        "span        0.000000009 s\n", "events      5\n", "labels      1\n",
        "lost        nothing\n",
        "1: 0 ended, 1 live (1 waiting), 1 live although marked should_resolve\n"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part, text);
}

TEST_CASE("a ring reports the time from which it is complete") {
  Trace trace = example();
  trace.info.overwritten_packets = 3;
  trace.info.complete_from = 5;
  const std::string text = info_text(trace, summarize(trace));
  CHECK(text.find("3 older packets overwritten (ring mode); definitions and live tasks are "
                  "preserved\n            complete from 0.000000005 s on\n") != std::string::npos);
}

TEST_CASE("what the rings held, and would have needed") {
  constexpr uint64_t s = 1'000'000'000;
  Trace trace = example();
  trace.info.overwritten_packets = 3;
  trace.info.ended = 11 * s;
  trace.info.before = 50 * s;
  trace.info.bytes = 60'000'000;
  trace.info.rings = {{.stream = 7, .bytes = 30'000'000, .from = 1 * s},
                      {.stream = 8, .bytes = 20'000'000, .from = 6 * s}};
  const std::string text = info_text(trace, summarize(trace));
  // 3 MB/s for 61 s, 4 MB/s for 61 s, and 10 MB of threads whose rings are complete.
  for (const char* part : {"the last 5.00 s of 61.0 s in stream 8, 10.0 s in stream 7\n",
                           "at 7.00 MB/s, all of it needs --keep 62s --most 523M\n"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part, text);
  const std::string json = info_json(trace, summarize(trace)).text();
  for (const char* part : {"\"held_ns\": 5000000000", "\"recorded_ns\": 61000000000",
                           "\"needed_bytes\": 437000000", "\"tid\": null"})
    CHECK_MESSAGE(json.find(part) != std::string::npos, part, json);
  trace.info.before = 100'000 * s;
  CHECK(info_text(trace, summarize(trace)).find("needs --mode log\n") != std::string::npos);
}

TEST_CASE("losses: location, reason and amount") {
  Trace trace = example();
  trace.losses.push_back({.what = "torn packet",
                          .file = "stream",
                          .offset = 4096,
                          .bytes = 1,
                          .packets = {},
                          .events = {}});
  CHECK(info_text(trace, summarize(trace))
            .find("lost        stream, byte 4,096: torn packet (1 byte, an unknown number of "
                  "events)\n") != std::string::npos);
  const std::string json = info_json(trace, summarize(trace)).text();
  CHECK(json.starts_with("{\n  \"schema\": \"skein.info/1\",\n  \"format\": \"skein\",\n"));
  for (const char* part : {"\"reason\": \"torn packet\"", "\"packets\": null", "\"pid\": null",
                           "\"start_utc_ns\": null", "\"duration_ns\": 9"})
    CHECK_MESSAGE(json.find(part) != std::string::npos, part, json);
}
