#include "trace/ask/end_state.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"

using namespace skein;

namespace {

std::string stuck(const AnalyzedExample& run, bool is_live = false) {
  const EndState end(run.subject(), is_live);
  std::string text;
  for (const EndState::Stuck& s : end.stuck()) {
    const TaskIndex task = end.in_whole(run.e.model, s.task);
    text += run.e.id(task) + ' ' + std::string(name(end.diagnoses()[s.diagnosis].verdict)) + '\n';
    CHECK(end.diagnose(run.subject(), s.task).is_error());
    CHECK(end.in_state(run.e.model, task) == s.task);
  }
  return text;
}

constexpr const char* lock_cycle = R"(
     0 create 1 as coroutine left
     0 create 2 as coroutine right
     0 resource - of 20 as mutex a
     0 resource - of 21 as mutex b
     0 resume 1
     1 acquire 1 of 20
     1 suspend 1
     2 resume 2
     2 acquire 2 of 21
     3 suspend 2 on 20 =1
     4 resume 1
     5 suspend 1 on 21 =1
)";

}  // namespace

TEST_CASE("tasks that the program destroyed at its end were stuck before") {
  const std::string destroyed = "50 cancel 1\n 51 cancel 2\n";
  const std::string all = "1 deadlock\n2 deadlock\n";
  CHECK(stuck(AnalyzedExample(lock_cycle)) == all);
  const AnalyzedExample run(lock_cycle + destroyed);
  CHECK(stuck(run) == all);
  CHECK(EndState(run.subject(), false).teardown() == 50);
  // A running program has not ended: it no longer waits.
  CHECK(stuck(run, true).empty());
  CHECK(EndState(run.subject(), true).teardown() == 0);
  // It went on after it had destroyed them.
  CHECK(stuck(AnalyzedExample(lock_cycle + destroyed +
                              "60 create 4 as coroutine rest\n 61 resume 4\n 62 resolve 4 by 4\n"))
            .empty());
}

TEST_CASE("the state before teardown has the same tasks, also those of a ring's task table") {
  // The teardown creates task 9, so 5, which has a row only, has another index in the whole model.
  AnalyzedExample run(std::string(lock_cycle) +
                      "50 create 9 as handler post\n 51 cancel 1\n 52 cancel 2\n");
  run.e.trace.live_tasks = {{.id = 5, .since = 2, .state = LiveTaskEntry::State::Suspended}};
  run.e.model = build_model(run.e.trace, {.simplify = false});
  run.waits = find_waits(run.e.trace, run.e.model);
  const EndState end(run.subject(), false);
  const Model& state = end.subject(run.subject()).model;
  const TaskIndex then = state.find(5);
  const TaskIndex now = run.e.model.find(5);
  REQUIRE(then != no_index);
  REQUIRE(then != now);
  CHECK(end.in_whole(run.e.model, then) == now);
  CHECK(end.in_state(run.e.model, now) == then);
  CHECK(end.in_state(run.e.model, run.e.model.find(9)) == no_index);
  CHECK(end.in_state(run.e.model, no_index) == no_index);
}

TEST_CASE("the diagnosis of one task agrees with that of all") {
  AnalyzedExample run(R"(
     0 create 1 as coroutine worker
     0 resource 1 of 20 as condition work
     1 resume 1
     2 suspend 1 on 20 =1
     4 create 9 as coroutine producer
     4 resume 9
     5 notify 20 by 9 =1
     6 resolve 9 by 9
     6 resume 1 by 9
     8 suspend 1 on 20 =1
     9 create 3 as promise reply
     9 create 2 as coroutine client
     9 resume 2
    10 suspend 2 on 3
    11 create 4 as coroutine holder
    11 resource - of 21 as mutex free
    11 resume 4
    12 acquire 4 of 21
    13 resolve 4 by 4
  )");
  run.e.trace.info.asleep = 50;  // all threads wait for each other
  CHECK(stuck(run) == "2 never notified\n");
  const EndState end(run.subject(), false);
  const auto one = [&](TaskId id) { return end.diagnose(run.subject(), run.e.model.find(id)); };
  CHECK(one(2).is_error());
  CHECK(one(3).is_error());   // 2 waits for it
  CHECK(!one(1).is_error());  // an idle worker
  // A lock that was not released, and that no task waits for.
  CHECK(one(21).verdict == Verdict::NeverReleased);
  CHECK(!one(21).is_error());
}

TEST_CASE("a task that an error contains twice is stuck once") {
  AnalyzedExample run(R"(
     0 create 1 as coroutine loop
     1 resume 1
     2 suspend 1
     3 resume 1
     4 label 1 runs
  )");
  run.e.trace.info.asleep = 500'000'000;
  run.waits.waits[0].end = run.waits.waits[0].ready = Waits::never;  // as in a damaged trace
  const EndState end(run.subject(), false);
  CHECK(end.diagnoses().size() == 2);
  CHECK(end.stuck().size() == 1);
}
