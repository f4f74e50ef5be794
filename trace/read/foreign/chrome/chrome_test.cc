#include "trace/read/foreign/chrome/chrome.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
    {"ph": "b", "cat": "net", "id2": {"local": 5}, "name": "GET", "pid": 7, "tid": 1, "ts": 105},
    {"ph": "n", "cat": "net", "id2": {"local": 5}, "name": "sent", "pid": 7, "tid": 1, "ts": 106},
    {"ph": "e", "cat": "net", "id2": {"local": 5}, "name": "GET", "pid": 7, "tid": 1, "ts": 107},
    {"ph": "C", "name": "queue", "pid": 7, "tid": 1, "ts": 108, "args": {"queue": 3, "max": -4}},
    {"ph": "i", "name": "vsync", "pid": 7, "tid": 1, "ts": 109, "s": "g"},
    {"ph": "P", "name": "sample", "pid": 7, "tid": 1, "ts": 110}
  ]})");
  CHECK(trace.info.format == "Chrome JSON");
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
  CHECK(trace.losses[0].what == "events of a phase that skein ignores, P: 1");
}

TEST_CASE("a bare array: closed, unclosed and truncated") {
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
  CHECK(cut.losses[0].what == "the last event is truncated");
  CHECK(cut.losses[0].offset == two.size() + 1);
  const Trace broken = read(two + ",{\"ph\":\"i\",\"name\":\"c\"}} and so on");
  REQUIRE(broken.losses.size() == 2);
  CHECK(broken.losses[0].what == "damaged events");
  CHECK(broken.losses[0].offset == two.size() + 22);
  CHECK(broken.losses[1].what == "events omitted: no time: 1");
}

TEST_CASE("flows with the same id are distinguished by category and name") {
  const Trace trace = read(R"([
{"ph":"s","cat":"c1","name":"f","id":1,"pid":1,"tid":1,"ts":1},
{"ph":"s","cat":"c2","name":"f","id":1,"pid":1,"tid":2,"ts":2},
{"ph":"s","cat":"c2","name":"g","id":1,"pid":1,"tid":3,"ts":3},
{"ph":"f","cat":"c1","name":"f","id":1,"pid":1,"tid":4,"ts":4},
{"ph":"f","cat":"c2","name":"f","id":1,"pid":1,"tid":5,"ts":5},
{"ph":"f","cat":"c2","name":"g","id":1,"pid":1,"tid":6,"ts":6}])");
  CHECK(trace.losses.empty());
  std::map<uint64_t, uint32_t> sent;  // sending thread of each message
  trace.events.for_each([&](const EventRow& e) {
    if (e.kind == EventKind::Send) sent[e.value] = e.executor;
    if (e.kind == EventKind::Receive) CHECK(e.executor == sent.at(e.value) + 3);
  });
  CHECK(sent.size() == 3);
}

TEST_CASE("async slices are matched by category, scope and id across processes") {
  const auto slices = [](std::string_view text) {
    Lines lines;
    for (const std::string& line : said(read(text)))
      if (line.find("thread") == std::string::npos) lines.push_back(line);
    return lines;
  };
  CHECK(slices(R"([{"ph":"b","cat":"c","id":"0x1","name":"CALL","pid":1,"tid":1,"ts":0},
{"ph":"n","cat":"c","id":"0x1","name":"arrived","pid":2,"tid":1,"ts":1},
{"ph":"e","cat":"c","id":"0x1","name":"CALL","pid":2,"tid":1,"ts":2}])") ==
        Lines{"0 create 2 by 1 'CALL'", "1000 label 2 'arrived' on 1", "2000 resolve 2 by 3 on 1"});
  CHECK(slices(R"([{"ph":"b","cat":"c","id2":{"local":1},"name":"A","pid":1,"tid":1,"ts":0},
{"ph":"b","cat":"c","id2":{"local":1},"name":"B","pid":2,"tid":1,"ts":1},
{"ph":"e","cat":"c","id2":{"local":1},"name":"A","pid":1,"tid":1,"ts":2}])") ==
        Lines{"0 create 2 by 1 'A'", "1000 create 4 by 3 'B' on 1", "2000 resolve 2 by 1"});
  CHECK(slices(R"([{"ph":"b","cat":"c","id":1,"scope":"s","name":"A","pid":1,"tid":1,"ts":0},
{"ph":"b","cat":"c","id":1,"scope":"t","name":"B","pid":1,"tid":1,"ts":1},
{"ph":"e","cat":"c","id":1,"scope":"s","name":"A","pid":1,"tid":1,"ts":2}])") ==
        Lines{"0 create 2 by 1 'A'", "1000 create 3 by 1 'B'", "2000 resolve 2 by 1"});
  // The older phases are matched by name as well.
  CHECK(slices(R"([{"ph":"S","cat":"c","id":1,"name":"A","pid":1,"tid":1,"ts":0},
{"ph":"S","cat":"c","id":1,"name":"B","pid":1,"tid":1,"ts":1},
{"ph":"F","cat":"c","id":1,"name":"A","pid":1,"tid":1,"ts":2}])") ==
        Lines{"0 create 2 by 1 'A'", "1000 create 3 by 1 'B'", "2000 resolve 2 by 1"});
}

TEST_CASE("processes with equal names stay distinct") {
  const Trace trace = read(R"([
{"ph":"M","name":"process_name","pid":3,"args":{"name":"web"}},
{"ph":"M","name":"process_name","pid":4,"args":{"name":"web"}},
{"ph":"C","name":"mem","pid":1,"tid":1,"ts":1,"args":{"value":100}},
{"ph":"C","name":"mem","pid":3,"tid":1,"ts":2,"args":{"value":5}},
{"ph":"C","name":"mem","pid":4,"tid":1,"ts":3,"args":{"value":6}},
{"ph":"C","name":"only","pid":4,"tid":1,"ts":4,"args":{"value":7}},
{"ph":"i","name":"x","pid":"p","tid":"t","ts":5}])");
  Lines counters;
  trace.events.for_each([&](const EventRow& e) {
    if (e.kind == EventKind::CounterSet) counters.emplace_back(trace.strings[e.text]);
  });
  CHECK(counters == Lines{"mem (pid 1)", "mem (web pid 3)", "mem (web pid 4)", "only"});
  Lines threads;
  for (const Executor& executor : trace.executors)
    threads.emplace_back(trace.strings[executor.name]);
  CHECK(threads == Lines{"pid 1: thread 1", "web pid 3: thread 1", "web pid 4: thread 1", "t"});
  CHECK(trace.executors.back().tid == 0);
  // In the order of their appearance in the file.
  const std::vector<Process> processes = {
      {.pid = 3, .name = "web"}, {.pid = 4, .name = "web"}, {.pid = 1, .name = ""}, {.name = "p"}};
  CHECK(trace.processes == processes);
  std::vector<uint32_t> of_threads;
  for (const Executor& executor : trace.executors) of_threads.push_back(executor.process);
  CHECK(of_threads == std::vector<uint32_t>{2, 0, 1, 3});
}

TEST_CASE("an event of category skein that skein did not write is a foreign event") {
  const std::string foreign = R"({"ph":"i","name":"mine","cat":"skein","pid":1,"tid":1,"ts":1})";
  const Trace alone = read("[" + foreign + "]");
  CHECK(said(alone).back() == "0 label 1 'mine'");
  CHECK(alone.losses.empty());
  const std::string own = R"([{"ph":"i","name":"x","cat":"skein","pid":1,"tid":1,"ts":0,)"
                          R"("args":{"event":"label","task":1,"text":"ours"}},)";
  const Trace both = read(own + foreign + R"(,{"ph":"i","name":"view","cat":"skein.view","ts":1},
{"ph":"i","cat":"skein","ts":2,"args":{"event":"of the future"}}])");
  CHECK(said(both) == Lines{"0 label 1 'ours'"});
  REQUIRE(both.losses.size() == 2);
  CHECK(both.losses[0].what == "events added by other tools: 1");
  CHECK(both.losses[0].offset == own.size());
  CHECK(both.losses[1].what == "events of a kind unknown to this version, of the future: 1");
}

TEST_CASE("a skein export is read correctly if its events were reordered") {
  const std::string first =
      R"({"ph":"i","cat":"skein","pid":1,"tid":1,"ts":1,"args":{"event":"label","task":1,"text":"a"}})";
  const std::string second =
      R"({"ph":"i","cat":"skein","pid":1,"tid":1,"ts":2,"args":{"event":"label","task":1,"text":"b"}})";
  const Lines expected = {"0 label 1 'a'", "1000 label 1 'b'"};
  CHECK(said(read("[" + first + "," + second + "]")) == expected);
  const Trace other =
      read("{\"traceEvents\":[" + second + "," + first + "],\"otherData\":{\"start_ns\":\"7\"}}");
  CHECK(said(other) == expected);
  CHECK(other.info.start == 7);
}

TEST_CASE("an event without a valid time is omitted and does not extend the trace") {
  const Trace trace = read(R"([{"ph":"i","name":"a","pid":1,"tid":1,"ts":1.7e15},
{"ph":"i","name":"no time","pid":1,"tid":1},
{"ph":"i","name":"text","pid":1,"tid":1,"ts":"soon"},
{"ph":"i","name":"huge","pid":1,"tid":1,"ts":9e15},
{"ph":"i","name":"huge","pid":1,"tid":1,"ts":4611686018427387904},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":1700000000000200}])");
  CHECK(said(trace) == Lines{"0 create 1 'thread 1'", "0 label 1 'thread 1'", "0 label 1 'a'",
                             "200000 resume 1", "200000 span_begin 1 'b'", "200000 span_end 1",
                             "200000 suspend 1"});
  REQUIRE(trace.losses.size() == 3);
  CHECK(trace.losses[0].what ==
        "events omitted: invalid time (not a number, or beyond 73 years): 3");
  CHECK(trace.losses[0].events == 3);
  CHECK(trace.losses[1].what == "events omitted: no time: 1");
  CHECK(trace.losses[1].offset == 52);
  CHECK(trace.losses[2].what == "slices without a duration, read as 0: 1");
}

TEST_CASE("reading continues after damage and reports its position") {
  const auto labels = [](const Trace& trace) {
    Lines lines;
    for (const std::string& line : said(trace))
      if (const size_t at = line.find('\''); line.find("label") < at)
        lines.push_back(line.substr(at));
    lines.erase(lines.begin());  // the thread's label
    return lines;
  };
  const std::string good = R"({"ph":"i","name":"good","pid":1,"tid":1,"ts":2})";
  const std::string start = "[" + good + ",\n";
  for (const char* bad : {
           R"({"ph":"i","name":"bad,"pid":1,"tid":1,"ts":1},)",  // missing quotation mark
           R"({"ph":"i","name":"bad","pid":1,"tid":1,"ts":1,)",  // missing bracket
           R"({"ph":"i","name":"bad","pid":1,"tid":1,"ts" 1,"args":{}},)",  // missing colon
           R"({"ph":"i","name":"bad","args":{"a":[1,2},"b":{"c":"{"}},)",
           R"({"ph":"i","name":"bad","args":{"a":[1,{"b":2},)",
           "{\"ph\":\"i\",\"name\":\"bad\n\",\"ts\":1},",
           "{\"ph\":\"i\",\"name\"\0\0\0\0, ",
       }) {
    INFO(std::string(bad));
    const Trace trace = read(start + bad + good + ",]");
    CHECK(labels(trace) == Lines{"'good'", "'good'"});
    REQUIRE(trace.losses.size() == 1);
    CHECK(trace.losses[0].what == "damaged events");
    CHECK(trace.losses[0].offset == start.size());
    CHECK(trace.losses[0].bytes == std::string_view(bad).size());
  }
  for (const auto& [odd, kept] :
       {std::pair{"caf\xe9", "'caf\xe9'"}, {"a\\ud800", "'a\xef\xbf\xbd'"}, {"\\x", "'x'"}}) {
    const Trace trace =
        read(start + R"({"ph":"i","name":")" + odd + R"(","pid":1,"tid":1,"ts":2},)" + good + "]");
    CHECK(labels(trace) == Lines{"'good'", kept, "'good'"});
    REQUIRE(trace.losses.size() == 1);
    CHECK(trace.losses[0].what == "strings that are not valid Unicode: 1");
    CHECK(trace.losses[0].offset == start.size() + 18);
  }
  const Trace sloppy = read("{\"traceEvents\":[{\"a\":[NaN,None,],},\n" + good +
                            ",],\"x\":{\"y\"},\"traceEvents\":[" + good + "]}");
  CHECK(labels(sloppy) == Lines{"'good'", "'good'"});
}

TEST_CASE("strings with escapes") {
  const Trace trace = read(R"([{"ph":"i","name":"\"\\\/\n\u00e9\u20ac\ud83d\ude00","ts":0}])");
  CHECK(trace.losses.empty());
  CHECK(said(trace).back() == "0 label 1 '\"\\/\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80'");
}

TEST_CASE("skipped events are counted, with the position of the first") {
  const Trace trace = read(R"({"traceEvents":[
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5,"args":{"url":"x"},"tts":3},
{"ph":"C","name":"q","pid":1,"tid":1,"ts":1,"args":{"a":"3","b":"x","c":1e300,"d":null,"e":[1]}},
{"ph":"M","name":"process_labels","pid":1,"args":{"labels":"x"}},
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5,"args":{}}, 7],
"displayTimeUnit":"ns","stackFrames":{"1":{"name":"main"}},"samples":[{"sf":1}],
"systemTraceEvents":"# tracer: nop"})");
  Lines lost;
  for (const Loss& loss : trace.losses)
    lost.push_back(std::to_string(loss.offset) + " " + loss.what);
  CHECK(lost == Lines{"353 stackFrames, which skein ignores", "389 samples, which skein ignores",
                      "411 systemTraceEvents, which skein ignores",
                      "326 entries of the event list that are not events: 1",
                      "17 event fields that skein ignores, tts: 1",
                      "17 events with arguments, which skein ignores: 1",
                      "196 metadata that skein ignores, process_labels: 1",
                      "0 counter values omitted, larger than 2^63: 1",
                      "0 counter values omitted, not numbers: 3"});
  uint64_t value = 0;
  trace.events.for_each([&](const EventRow& e) {
    if (e.kind == EventKind::CounterSet) value = e.value;
  });
  CHECK(value == 3);
}

TEST_CASE("progress is reported, and reading can be cancelled") {
  std::string text = "[";
  for (int i = 0; i < 100000; i++) text += R"({"ph":"i","name":"a","ts":1},)";
  std::vector<uint64_t> done;
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  (void)chrome::read(bytes, [&](uint64_t at, uint64_t) {
    done.push_back(at);
    return true;
  });
  CHECK(done.size() > 4);
  CHECK(std::is_sorted(done.begin(), done.end()));
  const Trace some = chrome::read(bytes, [&](uint64_t at, uint64_t) { return at < 1000; });
  CHECK(some.events.size() > 5000);
  CHECK(some.events.size() < 50000);
}

TEST_CASE("times are exact to the nanosecond in every notation") {
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

TEST_CASE("a Chrome trace is recognised by its events, and other JSON is rejected") {
  const auto looks = [](std::string_view text) {
    return chrome::looks_like_chrome({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  };
  CHECK(looks(" \n{\"traceEvents\":[]}"));
  CHECK(looks("\xef\xbb\xbf[{\"pid\":1,\"ph\":\"X\"}]"));
  CHECK_FALSE(looks("{\"nodes\":[]}"));
  CHECK_FALSE(looks("the \"traceEvents\" of Chrome"));
  CHECK_FALSE(looks(""));
}
