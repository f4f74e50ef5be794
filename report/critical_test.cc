#include "report/critical.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"

using namespace skein;

namespace {

CriticalPath path_of(const Example& e) {
  const TaskIndex task = e.model.find(1);
  return {task, 0, 18, critical_path(e.trace, e.model, find_waits(e.trace, e.model), task, 0, 18)};
}

}  // namespace

TEST_CASE("totals by kind, and each step") {
  const Example e = ours(timer_and_turn);
  CHECK(critical_text(e.trace, e.model, path_of(e), false) ==
        "session (#1), from 0.000000000 s to 0.000000018 s: 18 ns\n"
        "  running                6 ns  33.3 %\n"
        "  runnable               3 ns  16.7 %\n"
        "  external               9 ns  50.0 %\n"
        "\n"
        "  0.000000000  1 ns  session (#1)  running\n"
        "  0.000000001  9 ns  timer (#3)    external\n"
        "  0.000000010  3 ns  session (#1)  runnable, while busy (#2) ran\n"
        "  0.000000013  5 ns  session (#1)  running\n");
}

TEST_CASE("how long a task's thread waited for a CPU, and what ran instead") {
  Example e = ours(timer_and_turn);
  e.trace.executors[0].tid = 7;
  using enum ThreadState;
  e.trace.thread_states = {
      {.time = 0, .tid = 7, .state = Running},
      {.time = 14,
       .tid = 7,
       .state = Preempted,
       .other = 9,
       .text = e.trace.strings.intern("cc1plus")},
      {.time = 16, .tid = 7, .state = Running},
  };
  const std::string text = critical_text(e.trace, e.model, path_of(e), false);
  CHECK(text.find("  0.000000013  5 ns  session (#1)  running; its thread waited 2 ns for a CPU, "
                  "which ran cc1plus\n") != std::string::npos);
  CHECK(text.find("runnable, while busy (#2) ran\n") != std::string::npos);
  const std::string json = critical_json(e.trace, e.model, path_of(e)).text();
  CHECK(json.find("\"cpu_wait_ns\": 2") != std::string::npos);
  CHECK(json.find("\"ran_instead\": \"cc1plus\"") != std::string::npos);
}

TEST_CASE("JSON has each segment with its target") {
  const Example e = ours(timer_and_turn);
  const std::string text = critical_json(e.trace, e.model, path_of(e)).text();
  CHECK(text.starts_with("{\n  \"schema\": \"skein.critical/1\",\n  \"task\": {\n    \"id\": 1,"));
  for (const char* part : {"\"to_ns\": 18", "\"kind\": \"runnable\"", "\"name\": \"busy\"",
                           "\"target\": null", "\"location\": null"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("of many steps, the longest are listed and the others counted") {
  std::string events = "0 create 1 as coroutine session\n0 resume 1\n";
  const auto at = [](int time) { return std::to_string(time) + ' '; };
  for (int i = 0; i < 50; i++) {
    const std::string timer = std::to_string(100 + i);
    events += at(100 * i + 10) + "create " + timer + " by 1 as timer\n" + at(100 * i + 11) +
              "suspend 1 on " + timer + "\n" + at(100 * i + 90) + "resolve " + timer + " by " +
              timer + "\n" + at(100 * i + 90) + "resume 1 by " + timer + "\n";
  }
  const Example e = ours(events + "5000 resolve 1 by 1\n5000 executor_end -");
  const TaskIndex task = e.model.find(1);
  const CriticalPath path{
      task, 0, 5000, critical_path(e.trace, e.model, find_waits(e.trace, e.model), task, 0, 5000)};
  const auto lines = [&](bool all) {
    const std::string text = critical_text(e.trace, e.model, path, all);
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  };
  CHECK(lines(true) >= path.segments.size());
  CHECK(lines(false) < lines(true));
  CHECK(critical_text(e.trace, e.model, path, false).find(" short step") != std::string::npos);
}
