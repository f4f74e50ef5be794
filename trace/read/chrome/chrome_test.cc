#include "trace/read/chrome/chrome.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace skein;

namespace {

Trace read(std::string_view text) {
  return chrome::read({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// "5 create 1 by 2 'text'"
std::vector<std::string> said(const Trace& trace) {
  std::vector<std::string> all;
  trace.events.for_each([&](const EventRow& e) {
    std::string line = std::to_string(e.time) + " " + std::string(name(e.kind));
    if (e.task != no_task) line += " " + std::to_string(e.task);
    if (e.other != no_task) line += " by " + std::to_string(e.other);
    if (e.kind == EventKind::CounterSet)
      line += " value " + std::to_string(static_cast<int64_t>(e.value));
    if (e.text != 0) line += " '" + std::string(trace.strings[e.text]) + "'";
    if (e.executor != 0) line += " on " + std::to_string(e.executor);
    all.push_back(line);
  });
  return all;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("slices, counters, flows and async slices of an object with traceEvents") {
  const Trace trace = read(R"({"otherData": {"x": [1, {"ph": "X"}]}, "traceEvents": [
    {"args": {"name": "server"}, "ph": "M", "name": "process_name", "pid": 7, "tid": 0},
    {"ph": "M", "name": "thread_name", "pid": 7, "tid": 1, "args": {"name": "main"}},
    {"ph": "M", "name": "thread_name", "pid": 8, "tid": 1, "args": {"name": "other"}},
    {"ph": "X", "name": "inner", "pid": 7, "tid": 1, "ts": 100.5, "dur": 1},
    {"ph": "X", "name": "outer", "pid": 7, "tid": 1, "ts": 100.5, "dur": 10.001},
    {"ph": "s", "name": "f", "cat": "c", "id": "0x1f", "pid": 7, "tid": 1, "ts": 101},
    {"ph": "B", "name": "work", "pid": 8, "tid": 1, "ts": 102},
    {"ph": "f", "name": "f", "cat": "c", "id": "0x1f", "pid": 8, "tid": 1, "ts": 103, "bp": "e"},
    {"ph": "E", "pid": 8, "tid": 1, "ts": 104},
    {"ph": "b", "cat": "net", "id": 5, "name": "GET", "pid": 7, "tid": 1, "ts": 105},
    {"ph": "n", "cat": "net", "id": 5, "name": "sent", "pid": 7, "tid": 1, "ts": 106},
    {"ph": "e", "cat": "net", "id2": {"local": 5}, "name": "GET", "pid": 7, "tid": 1, "ts": 107},
    {"ph": "C", "name": "queue", "pid": 7, "tid": 1, "ts": 108, "args": {"queue": 3, "max": -4}},
    {"ph": "i", "name": "vsync", "pid": 7, "tid": 1, "ts": 109, "s": "g"},
    {"ph": "P", "name": "sample", "pid": 7, "tid": 1, "ts": 110}
  ]})");
  CHECK(trace.facts.format == "Chrome JSON");
  CHECK(said(trace) == Lines{"0 create 1 'server: main'",
                             "0 label 1 'server: main'",
                             "0 resume 1",
                             "0 span_begin 1 'outer'",
                             "0 span_begin 1 'inner'",
                             "500 send 1",
                             "1000 span_end 1",
                             "1500 create 2 'other' on 1",
                             "1500 label 2 'other' on 1",
                             "1500 resume 2 on 1",
                             "1500 span_begin 2 'work' on 1",
                             "2500 receive 2 on 1",
                             "3500 span_end 2 on 1",
                             "3500 suspend 2 on 1",
                             "4500 create 3 by 1 'GET'",
                             "5500 label 3 'sent'",
                             "6500 resolve 3 by 1",
                             "7500 counter_set value 3 'queue'",
                             "7500 counter_set value -4 'queue max'",
                             "8500 label 1 'vsync'",
                             "10001 span_end 1",
                             "10001 suspend 1"});
  REQUIRE(trace.losses.size() == 1);
  CHECK(trace.losses[0].what == "events of a phase that skein does not read, P: 1");
}

TEST_CASE("an array alone, which nobody closed, and one that is cut off") {
  const std::string two = R"([{"ph":"i","name":"a","pid":1,"tid":1,"ts":1},
{"ph":"i","name":"b","pid":1,"tid":1,"ts":2})";
  for (const char* end : {"", ",", "]", "\n,\n"}) {
    const Trace trace = read(two + end);
    CHECK(trace.losses.empty());
    CHECK(said(trace) == Lines{"0 create 1 'thread 1'", "0 label 1 'thread 1'", "0 label 1 'a'",
                               "1000 label 1 'b'"});
  }
  const Trace cut = read(two + ",{\"ph\":\"i\",\"name\":\"c");
  CHECK(said(cut).size() == 4);
  REQUIRE(cut.losses.size() == 1);
  CHECK(cut.losses[0].what == "no JSON from here on");
  const Trace broken = read(two + ",{\"ph\":\"i\",\"name\":\"c\"}} and so on");
  REQUIRE(broken.losses.size() == 1);
  CHECK(broken.losses[0].offset > two.size());
}

TEST_CASE("times are exact to the nanosecond, however they are written") {
  const Trace trace = read(R"([{"ph":"i","name":"a","pid":1,"tid":1,"ts":-0.001},
{"ph":"i","name":"b","pid":1,"tid":1,"ts":1234567890123.456},
{"ph":"i","name":"c","pid":1,"tid":1,"ts":"1234567890123.4579"},
{"ph":"i","name":"d","pid":1,"tid":1,"ts":1.2345678901235e12}])");
  const size_t size = trace.events.size();
  REQUIRE(size == 6);
  CHECK(trace.events.time[size - 3] == 1234567890123457);
  CHECK(trace.events.time[size - 2] == 1234567890123458);
  CHECK(trace.events.time[size - 1] == 1234567890123501);
}

TEST_CASE("it is recognised by its events, and other JSON is not") {
  const auto looks = [](std::string_view text) {
    return chrome::looks_like_chrome({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  };
  CHECK(looks(" \n{\"traceEvents\":[]}"));
  CHECK(looks("\xef\xbb\xbf[{\"pid\":1,\"ph\":\"X\"}]"));
  CHECK_FALSE(looks("{\"nodes\":[]}"));
  CHECK_FALSE(looks("the \"traceEvents\" of Chrome"));
  CHECK_FALSE(looks(""));
}
