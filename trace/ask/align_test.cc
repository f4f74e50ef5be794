#include "trace/ask/align.h"

#include <doctest/doctest.h>

#include <set>

#include "trace/ask/random_program.h"
#include "trace/ask/task_kinds.h"
#include "trace/model/example.h"

using namespace skein;

namespace {

// "1=4 2=5": pairs of ids, in the order of the good run.
std::string pairs(const Example& good, const Example& bad) {
  const Waits good_waits = find_waits(good.trace, good.model);
  const Waits bad_waits = find_waits(bad.trace, bad.model);
  const Alignment aligned =
      align({good.trace, good.model, good_waits}, {bad.trace, bad.model, bad_waits});
  std::string text;
  size_t count = 0;
  for (TaskIndex task = 0; task < aligned.in_bad.size(); task++) {
    const TaskIndex other = aligned.in_bad[task];
    if (other == no_index) continue;
    CHECK(aligned.in_good[other] == task);
    text += (text.empty() ? "" : " ") + good.id(task) + "=" + bad.id(other);
    count++;
  }
  CHECK(aligned.matched == count);
  return text;
}

}  // namespace

TEST_CASE("tasks match by attributes, parent and order, not by id or time") {
  const Example good = ours(R"(
     0 create 1 as coroutine listen
     1 create 2 by 1 as coroutine session
     2 create 3 by 1 as timer
     3 create 4 by 1 as coroutine session
     4 create 5 by 4 as io read
  )");
  const Example bad = ours(R"(
     0 create 10 as timer
     5 create 20 as coroutine listen
     6 create 30 by 20 as coroutine session
     7 create 40 by 20 as coroutine session
     8 create 50 by 40 as io read
     9 create 60 by 20 as timer
  )");
  CHECK(pairs(good, bad) == "1=20 2=30 3=60 4=40 5=50");
}

TEST_CASE("a label decides if the other run has it too") {
  const Example good = ours(R"(
     0 create 1 as coroutine session
     0 label 1 alice
     0 create 2 as coroutine session
     0 label 2 bob
     0 create 3 as coroutine session
     0 label 3 port-4711
  )");
  const Example bad = ours(R"(
     0 create 1 as coroutine session
     0 label 1 port-815
     0 create 2 as coroutine session
     0 label 2 bob
     0 create 3 as coroutine session
     0 label 3 alice
  )");
  CHECK(pairs(good, bad) == "1=3 2=2 3=1");
}

TEST_CASE("an additional task in between: its siblings match by their children") {
  const Example good = ours(R"(
     0 create 1 as coroutine listen
     1 create 2 by 1 as coroutine session
     2 create 3 by 2 as io read
     3 create 4 by 1 as coroutine session
     4 create 5 by 4 as io write
  )");
  const Example bad = ours(R"(
     0 create 1 as coroutine listen
     1 create 2 by 1 as coroutine session
     2 create 3 by 2 as io read
     3 create 6 by 1 as coroutine session
     4 create 7 by 6 as timer
     5 create 4 by 1 as coroutine session
     6 create 5 by 4 as io write
  )");
  CHECK(pairs(good, bad) == "1=1 2=2 3=3 4=4 5=5");
  CHECK(pairs(bad, good) == "1=1 2=2 3=3 4=4 5=5");
}

TEST_CASE("created by another task in the other run: matches if both runs have equally many") {
  const Example good = ours(R"(
     0 create 1 as coroutine a
     0 create 2 as coroutine b
     1 create 3 by 1 as coroutine cache
     2 create 4 by 3 as io read
  )");
  const Example bad = ours(R"(
     0 create 1 as coroutine a
     0 create 2 as coroutine b
     1 create 3 by 2 as coroutine cache
     2 create 4 by 3 as io read
  )");
  CHECK(pairs(good, bad) == "1=1 2=2 3=3 4=4");
}

TEST_CASE("a moved line and directories do not matter") {
  Trace good, bad;
  for (Trace* trace : {&good, &bad}) {
    const bool is_good = trace == &good;
    trace->executors.resize(1);
    trace->kinds = {trace->strings.intern("coroutine")};
    trace->locations.push_back({.file = trace->strings.intern(is_good ? "/a/x.cc" : "/b/c/x.cc"),
                                .function = trace->strings.intern("run"),
                                .line = is_good ? 10u : 12u});
    trace->events.append({.time = 0, .task = 7, .location = 1, .kind = EventKind::Create});
  }
  const Model good_model = build_model(good, {.simplify = false});
  const Model bad_model = build_model(bad, {.simplify = false});
  const Waits good_waits = find_waits(good, good_model), bad_waits = find_waits(bad, bad_model);
  CHECK(align({good, good_model, good_waits}, {bad, bad_model, bad_waits}).matched == 1);
}

TEST_CASE("two runs of a random program: all coroutines match") {
  for (uint32_t seed = 1; seed <= programs_of(300); seed++) {
    CAPTURE(seed);
    const RandomProgram good(seed, RandomProgram::Fault::None, {.seed = 1'000 + seed});
    const RandomProgram bad(seed, RandomProgram::Fault::None, {.seed = 5'000 + seed});
    const Model good_model = build_model(good.trace, {.simplify = false});
    const Model bad_model = build_model(bad.trace, {.simplify = false});
    const Waits good_waits = find_waits(good.trace, good_model);
    const Waits bad_waits = find_waits(bad.trace, bad_model);
    const Alignment aligned =
        align({good.trace, good_model, good_waits}, {bad.trace, bad_model, bad_waits});
    // Root tasks get their ids before the program runs, so they are equal in both runs.
    for (TaskIndex task = 0; task < good_model.tasks.size(); task++) {
      const Model::Task& made = good_model.tasks[task];
      if (is_operation(good.trace, made)) continue;
      REQUIRE(aligned.in_bad[task] != no_index);
      if (made.parent == no_index && !made.is_resource)
        CHECK(bad_model.tasks[aligned.in_bad[task]].id == made.id);
    }
  }
}
