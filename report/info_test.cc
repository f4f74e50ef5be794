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
