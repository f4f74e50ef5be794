#include "trace/model/thread_intervals.h"

#include <doctest/doctest.h>

using namespace skein;

namespace {

Trace example() {
  Trace trace;
  trace.executors = {{.tid = 8}, {.tid = 7}, {.tid = 99}};
  trace.info.ended = 100;
  using enum ThreadState;
  trace.thread_states = {
      {.time = 10, .tid = 7, .state = Running, .cpu = 2},
      {.time = 15, .tid = 8, .state = Running, .cpu = 1},
      {.time = 20, .tid = 7, .state = Preempted, .other = 5, .cpu = 2},
      {.time = 30, .tid = 7, .state = Running, .cpu = 3},
      {.time = 40, .tid = 7, .state = Blocked, .cpu = 3},
      {.time = 45, .tid = 7, .state = Function, .text = 1},
      {.time = 50, .tid = 7, .state = Runnable, .other = 8},
      {.time = 60, .tid = 7, .state = Running, .cpu = 3},
      {.time = 70, .tid = 0, .state = Unknown},
      {.time = 80, .tid = 7, .state = Blocked, .cpu = 3},
      {.time = 90, .tid = 8, .state = Ended},
  };
  return trace;
}

}  // namespace

TEST_CASE("states become intervals of each thread, until the end of the trace") {
  const ThreadIntervals intervals(example());
  const auto of = intervals.of(1);
  REQUIRE(of.size() == 7);
  CHECK(of[0].begin == 10);
  CHECK(of[0].end == 20);
  CHECK(of[1].state == ThreadState::Preempted);
  CHECK(of[1].other == 5);
  CHECK(of[3].function == 1);
  CHECK(of[4].state == ThreadState::Runnable);
  CHECK(of[4].cpu == 4 - 1);
  CHECK(of[5].end == 70);  // lost
  CHECK(of[6].begin == 80);
  CHECK(of[6].end == 100);
  REQUIRE(intervals.of(0).size() == 1);
  CHECK(intervals.of(0)[0].end == 70);
  CHECK(intervals.of(2).empty());
  CHECK(intervals.of(3).empty());
  CHECK(intervals.executor(7) == 1);
  CHECK(intervals.executor(9) == 3);
  CHECK(intervals.has_wakeups());
}

TEST_CASE("the times of a part count only that part") {
  const ThreadIntervals intervals(example());
  const auto times = intervals.times(1, 15, 65);
  REQUIRE(times);
  CHECK(times->running == 5 + 10 + 5);
  CHECK(times->preempted == 10);
  CHECK(times->blocked == 10);
  CHECK(times->runnable == 10);
  CHECK(times->unknown == 0);
  CHECK(times->waited_for_cpu() == 20);
  CHECK(intervals.times(1, 65, 85)->unknown == 10);
  CHECK(!intervals.times(1, 71, 79));
  CHECK(!intervals.times(2, 0, 100));
  CHECK(intervals.of(1, 20, 30).size() == 1);
  CHECK(intervals.of(1, 20, 31).size() == 2);
}
