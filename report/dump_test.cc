#include "report/dump.h"

#include <doctest/doctest.h>

#include "trace/model/example.h"

using namespace skein;

namespace {

std::string text_of(const Trace& trace) {
  const DumpReport report(trace);
  std::string out;
  for (size_t i = 0; i < trace.events.size(); i++) report.append_text(out, i);
  return out;
}

std::string json_of(const Trace& trace) {
  const DumpReport report(trace);
  std::string out;
  for (size_t i = 0; i < trace.events.size(); i++) report.append_json(out, i);
  return out;
}

Trace with_location() {
  Trace trace;
  trace.executors.push_back({.name = 0, .tid = 100, .stream = 0});
  trace.locations.push_back({.file = trace.strings.intern("src/a \"b\".cc"),
                             .function = trace.strings.intern("void net::serve(int)"),
                             .line = 7,
                             .column = 1});
  trace.events.append({.time = 5,
                       .task = 1,
                       .other = no_task,
                       .value = unknown_value,
                       .text = 0,
                       .location = static_cast<uint32_t>(trace.locations.size() - 1),
                       .kind = EventKind::Create});
  return trace;
}

}  // namespace

TEST_CASE("a line has time, executor, task, event and arguments") {
  const Example e = ours(R"(
     0 create 1 as coroutine session
    10 label 1 late
    12 suspend 1 on 2
    20 resume 1 by 2 @1
  )");
  CHECK(text_of(e.trace) ==
        "0.000000000 executor_0 1 \"late\" create \"session\" kind=coroutine\n"
        "0.000000010 executor_0 1 \"late\" label \"late\"\n"
        "0.000000012 executor_0 1 \"late\" suspend on=2\n"
        "0.000000020 executor_1 1 \"late\" resume by=2\n");
}

TEST_CASE("text shortens functions and escapes file names") {
  const std::string text = text_of(with_location());
  CHECK(text.find("  src/a \\\"b\\\".cc:7 net::serve\n") != std::string::npos);
}

TEST_CASE("JSON has only the members that apply") {
  const Example e = ours("0 create 1 by 3 as coroutine session\n7 switch_to -");
  CHECK(
      json_of(e.trace) ==
      "{\"time\":0,\"executor\":{\"id\":0,\"name\":\"\",\"tid\":null},\"task\":1,"
      "\"event\":\"create\",\"other\":3,"
      "\"kind\":\"coroutine\",\"text\":\"session\"}\n"
      "{\"time\":7,\"executor\":{\"id\":0,\"name\":\"\",\"tid\":null},\"event\":\"switch_to\"}\n");
}

TEST_CASE("JSON has locations as objects, with whole functions") {
  const std::string json = json_of(with_location());
  CHECK(json.find(",\"location\":{\"file\":\"src/a \\\"b\\\".cc\",\"line\":7,"
                  "\"function\":\"void net::serve(int)\"}}\n") != std::string::npos);
}
