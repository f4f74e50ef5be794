#include "trace/ask/cpu_use.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("the kernel's account is exact") {
  Trace trace;
  trace.executors = {{.tid = 7}};
  const StringId rival = trace.strings.intern("rival");
  using enum ThreadState;
  trace.thread_states = {{.time = 0, .tid = 7, .state = Running},
                         {.time = 100, .tid = 7, .state = Preempted, .text = rival},
                         {.time = 400, .tid = 7, .state = Running},
                         {.time = 500, .tid = 7, .state = Blocked},
                         {.time = 600, .tid = 7, .state = Running},
                         {.time = 700, .tid = 0, .state = Unknown},
                         {.time = 800, .tid = 7, .state = Running}};
  const CpuUses uses(trace);
  const auto use = uses.of(0, 50, 550);
  REQUIRE(use);
  CHECK(use->least == 150);
  CHECK(use->most == 150);
  CHECK(use->preempted == 1);
  CHECK(use->blocked == 1);
  CHECK(use->ran_instead == rival);
  CHECK(reason_off_cpu(*use, 500) == OffCpu::Preempted);
  CHECK(reason_off_cpu(*uses.of(0, 450, 650), 200) == OffCpu::Blocked);
  CHECK(!uses.of(0, 650, 850));  // switches were lost
}

TEST_CASE("the CPU time of an interval is bounded by the readings around it") {
  Trace trace;
  trace.executors.resize(2);
  trace.cpu_times = {{.time = 100, .executor = 1, .cpu = 1000, .blocked = 1, .preempted = 1},
                     {.time = 100, .executor = 0, .cpu = 7},
                     {.time = 200, .executor = 1, .cpu = 1070, .blocked = 2, .preempted = 4},
                     {.time = 500, .executor = 1, .cpu = 1070, .blocked = 9, .preempted = 9}};
  const CpuUses uses(trace);
  const auto exact = uses.of(1, 100, 200);
  REQUIRE(exact);
  CHECK(exact->least == 70);
  CHECK(exact->most == 70);
  CHECK(exact->blocked == 1);
  CHECK(exact->preempted == 3);

  const auto inside = uses.of(1, 120, 180);  // 40 of the 70 may have been outside
  REQUIRE(inside);
  CHECK(inside->least == 30);
  CHECK(inside->most == 60);

  CHECK(uses.of(1, 300, 400)->most == 0);
  CHECK(!uses.of(1, 99, 200));   // no reading before
  CHECK(!uses.of(1, 100, 501));  // nor after
  CHECK(!uses.of(0, 100, 101));
  CHECK(!uses.of(2, 100, 200));
}

TEST_CASE("a reading of an earlier thread or a damaged one gives no time") {
  Trace trace;
  trace.executors.resize(1);
  trace.cpu_times = {{.time = 1, .cpu = 500}, {.time = 9, .cpu = 3}};
  const auto use = CpuUses(trace).of(0, 1, 9);
  REQUIRE(use);
  CHECK(use->most == 0);
}
