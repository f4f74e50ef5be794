#include "trace/export/await_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "trace/ask/random_program.h"
#include "trace/export/stacks.h"

using namespace skein;

namespace {

std::string folded(const Trace& trace, AwaitGraphOf of) {
  std::string text;
  Out out([&](std::string_view piece) {
    text += piece;
    return true;
  });
  export_folded(trace, of, out);
  REQUIRE(out.finish());
  return text;
}

// serve awaits query, which awaits a timer, runs again, and ends.
Trace chain() {
  Trace trace;
  trace.executors.resize(1);
  trace.info.format = "skein";
  for (const char* kind : {"unknown", "coroutine", "timer"})
    trace.kinds.push_back(trace.strings.intern(kind));
  const auto say = [&](uint64_t time, EventKind kind, TaskId task, TaskId other = no_task,
                       uint64_t value = 0, std::string_view text = "") {
    trace.events.append({.time = time,
                         .task = task,
                         .other = other,
                         .value = value,
                         .text = text.empty() ? 0 : trace.strings.intern(text),
                         .kind = kind});
  };
  say(0, EventKind::Create, 1, no_task, 1, "serve");
  say(0, EventKind::Resume, 1);
  say(10, EventKind::Create, 2, 1, 1, "query;");
  say(10, EventKind::Suspend, 1, 2);
  say(12, EventKind::Resume, 2, 1);
  say(15, EventKind::Create, 3, 2, 2, "");
  say(15, EventKind::Suspend, 2, 3);
  say(45, EventKind::Resolve, 3, 3);
  say(50, EventKind::Resume, 2, 3);
  say(57, EventKind::Resolve, 2, 2);
  say(60, EventKind::Resume, 1, 2);
  say(64, EventKind::Resolve, 1, 1);
  return trace;
}

}  // namespace

TEST_CASE("a wait counts once, at the end of the chain of its waiters") {
  CHECK(folded(chain(), AwaitGraphOf::Suspended) ==
        "serve;query, 12\nserve;query,;(runnable) 5\nserve;query,;timer 30\nserve;(runnable) 3\n");
  CHECK(folded(chain(), AwaitGraphOf::Running) == "serve 14\nserve;query, 10\n");
}

TEST_CASE("random programs: each moment of each wait is in one stack, or below one") {
  for (uint32_t seed = 0; seed < programs_of(105); seed++) {
    INFO("seed ", seed);
    const RandomProgram program(seed, static_cast<RandomProgram::Fault>(seed % 7));
    const Model model = build_model(program.trace, {.simplify = false});
    const Waits waits = find_waits(program.trace, model);
    const AwaitGraph graph = make_await_graph(program.trace, model, waits, AwaitGraphOf::Suspended);
    const auto end_of = [&](const Waits::Wait& wait) {
      return wait.is_open() ? std::max(model.end, wait.begin) : wait.end;
    };
    const auto ready_of = [&](const Waits::Wait& wait) {
      return std::clamp(wait.ready, wait.begin, end_of(wait));
    };
    // By brute force: between two adjacent times nothing changes.
    std::set<uint64_t> moments;
    for (const Waits::Wait& wait : waits.waits)
      for (const uint64_t time : {wait.begin, ready_of(wait), end_of(wait)}) moments.insert(time);
    uint64_t expected = 0;
    for (auto at = moments.begin(); at != moments.end() && std::next(at) != moments.end(); ++at) {
      const uint64_t time = *at;
      std::map<TaskIndex, const Waits::Wait*> above;  // by target: the chain continues there
      for (const Waits::Wait& wait : waits.waits)
        if (wait.on != no_index && wait.begin <= time && time < ready_of(wait))
          above.try_emplace(wait.on, &wait);
      for (const Waits::Wait& wait : waits.waits) {
        if (time < wait.begin || end_of(wait) <= time) continue;
        const bool is_chain = wait.on != no_index && time < ready_of(wait) &&
                              above[wait.on] == &wait && wait.on != wait.task;
        const bool goes_on =
            is_chain &&
            std::any_of(waits.waits.begin(), waits.waits.end(), [&](const Waits::Wait& below) {
              return below.task == wait.on && below.begin <= time && time < end_of(below);
            });
        if (!goes_on) expected += *std::next(at) - time;
      }
    }
    uint64_t total = 0;
    for (const auto& [stack, ns] : graph.weights) total += ns;
    REQUIRE(total == expected);
    if (seed % 7 == 0) REQUIRE(total > 0);

    const AwaitGraph running = make_await_graph(program.trace, model, waits, AwaitGraphOf::Running);
    uint64_t ran = 0;
    for (const Model::Activation& run : model.activations) ran += run.end - run.start;
    total = 0;
    for (const auto& [stack, ns] : running.weights) total += ns;
    REQUIRE(total == ran);
  }
}
