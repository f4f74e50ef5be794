#include "trace/ask/why.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"
#include "trace/ask/object_example.h"
#include "trace/ask/random_program.h"
#include "trace/model/example.h"

using namespace skein;

namespace {

using Fault = RandomProgram::Fault;

std::vector<Diagnosis> faults_of(const Trace& trace, const Model& model, const Waits& waits) {
  std::vector<Diagnosis> faults;
  for (Diagnosis& d : diagnose_all(trace, model, waits))
    if (d.is_error()) faults.push_back(std::move(d));
  return faults;
}

bool is_in(const Diagnosis& d, const Model& model, TaskId id) {
  return std::any_of(d.chain.begin(), d.chain.end(),
                     [&](const auto& step) { return model.tasks[step.task].id == id; });
}

}  // namespace

TEST_CASE("a notification that wakes no task, before the wait") {
  //      0    5    10   15   20
  //  1   ====------------------>   (creates 20, a condition; waits for it from 15 on)
  //  2   .....=]                   notifies it at 10
  const Example e = ours(R"(
     0 create 1 as coroutine query
     0 create 2 as coroutine network
     0 resource 1 of 20 as condition answered
     1 resume 1
     2 create 3 by 1 as timer
     3 suspend 1 on 3
     9 resume 2
    10 notify 20 by 2 =0
    11 resolve 2 by 2
    14 resolve 3 by 3
    15 resume 1 by 3
    16 suspend 1 on 20 =1
    20 executor_end -
  )");
  const Waits waits = find_waits(e.trace, e.model);
  const Diagnosis d = diagnose(e.trace, e.model, waits, e.model.find(1));
  CHECK(d.verdict == Verdict::LostWakeup);
  REQUIRE(d.chain.size() == 2);
  CHECK(e.id(d.chain[0].task) == "1");
  CHECK(waits.waits[d.chain[0].wait].begin == 16);
  CHECK(e.id(d.chain[1].task) == "20");
  REQUIRE(d.notification != Waits::none);
  CHECK(waits.notifications[d.notification].time == 10);
  CHECK(e.id(waits.notifications[d.notification].by) == "2");
  CHECK(!d.waited_before);
  CHECK(d.is_error());
}

TEST_CASE("a notification that woke a task, and one that came too early for another") {
  const std::string told = R"(
     0 create 1 as coroutine consumer
     0 resource 1 of 20 as condition work
     1 resume 1
     2 suspend 1 on 20 =1
     5 notify 20 by 2 =1
     6 resume 1 by 2
  )";
  SUBCASE("nothing was lost") {
    const Example e = ours(told + "8 suspend 1 on 20 =1\n 20 executor_end -");
    const Diagnosis d = diagnose(e.trace, e.model, find_waits(e.trace, e.model), e.model.find(1));
    CHECK(d.verdict == Verdict::NeverNotified);
    CHECK(!d.is_error());
  }
  SUBCASE("one may be lost") {
    const Example e = ours(told + "7 notify 20 by 2 =0\n 8 suspend 1 on 20 =1\n 20 executor_end -");
    const Diagnosis d = diagnose(e.trace, e.model, find_waits(e.trace, e.model), e.model.find(1));
    CHECK(d.verdict == Verdict::LostWakeup);
    CHECK(d.waited_before);
    CHECK(!d.is_error());  // a task that waits repeatedly may check for work first
  }
}

TEST_CASE("a semaphore has no owner: its holder may wait for it again") {
  const Example e = ours(R"(
     0 create 1 as coroutine consumer
     0 resource 1 of 20 as semaphore filled
     1 resume 1
     2 acquire 1 of 20
     3 suspend 1 on 20 =1
     9 executor_end -
  )");
  const auto all = diagnose_all(e.trace, e.model, find_waits(e.trace, e.model));
  REQUIRE(all.size() == 1);
  CHECK(all[0].verdict == Verdict::NeverNotified);
  CHECK(!all[0].is_error());
}

TEST_CASE(
    "a task created after the notification may have checked first, unless marked should_resolve") {
  const std::string program = R"(
     0 create 2 as coroutine producer
     0 resource - of 20 as condition work
     1 resume 2
     2 notify 20 by 2 =0
     3 resolve 2 by 2
     4 create 1 as coroutine worker
     5 resume 1
     6 create 3 by 1 as coroutine pop
     7 suspend 1 on 3
     8 resume 3
     9 suspend 3 on 20 =1
  )";
  const auto faults = [](const Example& e) {
    return faults_of(e.trace, e.model, find_waits(e.trace, e.model)).size();
  };
  CHECK(faults(ours(program + "20 executor_end -")) == 0);
  Example expected = ours(program);
  expected.trace.events.append({.time = 20, .task = 1, .kind = EventKind::ShouldResolve});
  expected.model = build_model(expected.trace, {.simplify = false});
  CHECK(faults(expected) == 1);
}

TEST_CASE("a task marked should_resolve that was runnable at the last event is starved") {
  for (const bool expected : {false, true}) {
    Trace trace = ours(R"(
      0 create 1 as coroutine query
      1 resume 1
      2 create 2 by 1 as promise answer
      3 suspend 1 on 2
    )")
                      .trace;
    if (expected) trace.events.append({.time = 4, .task = 1, .kind = EventKind::ShouldResolve});
    trace.events.append({.time = 9, .task = 2, .kind = EventKind::Fail});
    const Model model = build_model(trace, {.simplify = false});
    const Diagnosis d = diagnose(trace, model, find_waits(trace, model), model.find(1));
    CHECK(name(d.verdict) == (expected ? "starved" : "ok"));
    CHECK(d.is_error() == expected);
  }
}

TEST_CASE("the target is destroyed: no task resumes the waiter, whatever runs later") {
  const Example e = ours(R"(
     0 create 1 as coroutine outer
     1 resume 1
     2 create 2 by 1 as coroutine inner
     3 suspend 1 on 2
     4 cancel 2 by -
     5 create 3 as coroutine busy
     5 resume 3
    9000000 label 3 still
  )");
  const Waits waits = find_waits(e.trace, e.model);
  const auto all = diagnose_all(e.trace, e.model, waits);
  REQUIRE(all.size() == 2);
  CHECK(all[0].verdict == Verdict::Cancelled);
  CHECK(all[0].is_error());
  CHECK(all[1].verdict == Verdict::Running);  // the end of the trace is unknown
  CHECK(!all[1].is_error());
  CHECK(e.id(all[0].chain.back().task) == "2");
  const Subject subject{e.trace, e.model, waits};
  const LiveTaskFinder live(subject);
  CHECK(since(subject, live, all[0].chain[0]) == 3);  // waits
  CHECK(since(subject, live, all[0].chain[1]) == 4);  // was cancelled
}

TEST_CASE("an error is reported once for all tasks of its chain that are marked should_resolve") {
  constexpr int many = 2'000;
  std::string text = "0 resource - of 9999 as condition answer\n";
  for (int i = 1; i <= many; i++) {
    const std::string task = std::to_string(i);
    text += "1 create " + task + " as coroutine step\n2 resume " + task + "\n3 suspend " + task +
            " on " + (i < many ? std::to_string(i + 1) : "9999") + "\n";
  }
  Trace trace = ours(text).trace;
  for (TaskId i = 1; i <= many; i++)
    trace.events.append({.time = 4, .task = i, .kind = EventKind::ShouldResolve});
  const Model model = build_model(trace, {.simplify = false});
  const auto all = diagnose_all(trace, model, find_waits(trace, model));
  REQUIRE(all.size() == 1);
  CHECK(all[0].is_error());
  CHECK(all[0].chain.size() == many + 1);
}

TEST_CASE("a cycle is reported once") {
  const Example e = ours(R"(
     0 create 1 as coroutine one
     0 create 2 as coroutine two
     0 create 3 as coroutine outside
     0 resource - of 20 as mutex a
     0 resource - of 21 as mutex b
     1 acquire 1 of 20
     1 acquire 2 of 21
     2 suspend 1 on 21 =1
     3 suspend 2 on 20 =1
     4 suspend 3 on 20 =1
     9 executor_end -
  )");
  const auto all = diagnose_all(e.trace, e.model, find_waits(e.trace, e.model));
  REQUIRE(all.size() == 1);
  CHECK(all[0].verdict == Verdict::Deadlock);
  CHECK(all[0].similar.size() == 2);
}

TEST_CASE("a group has no tasks that are no errors") {
  // 1, 2 and 3 wait at one place after a notification that woke no task. 3 has waited there before,
  // and may check a condition before it waits again.
  const Example e = ours(R"(
     0 resource - of 20 as condition work
     0 create 1 as coroutine session
     0 create 2 as coroutine session
     0 create 3 as coroutine session
     0 create 9 as coroutine network
     1 resume 3
     2 suspend 3 on 20 =1
     3 resume 9
     4 notify 20 by 9 =1
     5 resume 3 by 9
     6 resume 9
     7 notify 20 by 9 =0
     8 resolve 9 by 9
    10 resume 1
    11 suspend 1 on 20 =1
    12 resume 2
    13 suspend 2 on 20 =1
    14 resume 3
    15 suspend 3 on 20 =1
  )");
  const auto all = diagnose_all(e.trace, e.model, find_waits(e.trace, e.model));
  REQUIRE(all.size() == 2);
  CHECK(all[0].is_error());
  CHECK(e.id(all[0].chain.front().task) == "1");
  CHECK(all[0].similar == std::vector{e.model.find(2)});
  CHECK(!all[1].is_error());
  CHECK(e.id(all[1].chain.front().task) == "3");
}

TEST_CASE("tasks that nothing can wake are no group with those that wait again") {
  Example e = ours(R"(
     0 create 1 as coroutine worker
     0 create 2 as coroutine worker
     0 create 3 as coroutine worker
     0 resource - of 20 as condition work
     0 create 9 as coroutine producer
     1 resume 1
     2 suspend 1 on 20 =1
     3 resume 2
     4 suspend 2 on 20 =1
     5 resume 9
     6 notify 20 by 9 =2
     7 resolve 9 by 9
     7 resume 1 by 9
     8 suspend 1 on 20 =1
     9 resume 3
    10 suspend 3 on 20 =1
    11 resume 2 by 9
    12 suspend 2 on 20 =1
  )");
  const Waits waits = find_waits(e.trace, e.model);
  CHECK(diagnose_all(e.trace, e.model, waits).size() == 1);
  e.trace.info.asleep = 50;
  const auto all = diagnose_all(e.trace, e.model, waits);
  REQUIRE(all.size() == 2);
  CHECK(all[0].is_error());
  CHECK(e.id(all[0].chain.front().task) == "3");
  CHECK(all[0].similar.empty());
  CHECK(!all[1].is_error());
  CHECK(all[1].similar == std::vector{e.model.find(2)});
}

TEST_CASE("a ring: the holder has ended and is overwritten; so may be a notification") {
  Example e = ring(R"(
  1000 label 5 still
)",
                   R"(
   -20 resource 20 as mutex on 7
   -10 suspended 1 as coroutine on 20
   -20 resource 21 as condition
    -5 suspended 2 as coroutine on 21
)",
                   500);
  e.trace.info.overwritten_packets = 1;
  const Waits waits = find_waits(e.trace, e.model);
  const Diagnosis lock = diagnose(e.trace, e.model, waits, e.model.find(1));
  CHECK(lock.verdict == Verdict::NeverReleased);
  CHECK(lock.is_error());
  const Diagnosis signal = diagnose(e.trace, e.model, waits, e.model.find(2));
  CHECK(signal.verdict == Verdict::Unknown);
  CHECK(!signal.is_error());
}

TEST_CASE("waits for a timer, a peer or a cancelled task") {
  const std::string waits_for = R"(
     0 create 1 as coroutine session
     1 resume 1
     2 create 3 by 1 as io socket.async_receive
     3 suspend 1 on 3
  )";
  SUBCASE("an external wait") {
    const Example e = ours(waits_for + "9 executor_end -");
    const auto all = diagnose_all(e.trace, e.model, find_waits(e.trace, e.model));
    REQUIRE(all.size() == 1);
    CHECK(all[0].verdict == Verdict::External);
    CHECK(!all[0].is_error());
  }
  SUBCASE("of a hundred similar tasks one is reported") {
    std::string text;
    for (int i = 0; i < 100; i++) {
      const std::string task = std::to_string(10 + i);
      const std::string io = std::to_string(200 + i);
      text += "0 create " + task + " as coroutine session\n 1 resume " + task + "\n 2 create " +
              io + " by " + task + " as io receive\n 3 suspend " + task + " on " + io + "\n";
    }
    const Example e = ours(text + "9 executor_end -");
    const auto all = diagnose_all(e.trace, e.model, find_waits(e.trace, e.model));
    REQUIRE(all.size() == 1);
    CHECK(all[0].similar.size() == 99);
  }
  SUBCASE("runnable, but a task that never suspends runs instead") {
    const Example e = ours(waits_for + R"(
          4 create 5 as coroutine busy
          4 resume 5
       1000 resolve 3 by 3 @1
    9000000 label 5 still
    )");
    const auto waits = find_waits(e.trace, e.model);
    const Diagnosis d = diagnose(e.trace, e.model, waits, e.model.find(1));
    CHECK(d.verdict == Verdict::Starved);
    CHECK(e.id(d.blocker) == "5");
  }
  SUBCASE("runnable since the last event") {
    const Example e = ours(waits_for + "1000 resolve 3 by 3 @1\n 2000 executor_end -");
    CHECK(diagnose_all(e.trace, e.model, find_waits(e.trace, e.model)).empty());
  }
}

TEST_CASE("an Lwt thread marked should_resolve, and its chain through become") {
  const Example e = mirage(R"(
     0 create 1 as bind
     1 create 2 as wait
     2 try_read 1 of 2
     3 create 3 as wait
     4 become 2 into 3
     5 should_resolve 1
    90 label 3 reply
  )");
  const auto all = diagnose_all(e.trace, e.model, find_waits(e.trace, e.model));
  REQUIRE(all.size() == 1);
  CHECK(all[0].verdict == Verdict::NeverNotified);
  CHECK(all[0].is_error());
  REQUIRE(all[0].chain.size() == 2);
  CHECK(e.id(all[0].chain[1].task) == "3");
}

TEST_CASE("random programs: the planted fault is found, and nothing else") {
  struct Expected {
    Fault fault;
    Verdict verdict;
  };
  constexpr Expected table[] = {{Fault::None, Verdict::Ok},
                                {Fault::LostWakeUp, Verdict::LostWakeup},
                                {Fault::NeverNotified, Verdict::NeverNotified},
                                {Fault::LockCycle, Verdict::Deadlock},
                                {Fault::AwaitCycle, Verdict::Deadlock},
                                {Fault::EndedHolding, Verdict::NeverReleased},
                                {Fault::Starved, Verdict::Starved}};
  for (const Expected& expected : table)
    for (uint32_t seed = 1; seed <= programs_of(300); seed++) {
      const Fault fault = expected.fault;
      CAPTURE(static_cast<int>(fault));
      CAPTURE(seed);
      const RandomProgram program(seed, fault);
      const Model model = build_model(program.trace, {.simplify = false});
      const Waits waits = find_waits(program.trace, model);
      const std::vector<Diagnosis> faults = faults_of(program.trace, model, waits);
      if (fault == Fault::None) {
        CHECK(faults.empty());
        continue;
      }
      REQUIRE(!faults.empty());
      for (const Diagnosis& d : faults) {
        CHECK(name(d.verdict) == name(expected.verdict));
        CHECK(is_in(d, model, program.victim));
        const TaskIndex thing = model.find(program.thing);
        if (fault == Fault::Starved)
          CHECK(waits.waits[d.chain.back().wait].on == thing);
        else
          CHECK(is_in(d, model, program.thing));
      }
    }
}

TEST_CASE("a ring: waits that began before the trace") {
  //       0      10     20
  //  1 -----------------------   serve, waits for 2
  //    2 ---------------------   session, waits for the mutex 20
  //    3 ---------------------   holds it, and waits for 4, an accept
  //  9     ====]
  const std::string events = R"(
     10 create 9
     11 resume 9
     12 resolve 9 by 9
  )";
  const std::string alive = R"(
     -90 suspended 1 on 2 as coroutine serve
     -80 suspended 2 on 20 under 1 as coroutine session
     -70 suspended 3 on 4 as coroutine holder
     -60 created 4 under 3 as io accept
     -85 resource 20 on 3 as mutex
  )";
  const auto asks = [](const Example& e, TaskId id) {
    std::string chain;
    const Waits waits = find_waits(e.trace, e.model);
    const Diagnosis d = diagnose(e.trace, e.model, waits, e.model.find(id));
    for (const Diagnosis::Step& step : d.chain) chain += e.id(step.task) + " ";
    return chain + std::string(name(d.verdict));
  };
  SUBCASE("down to an external wait") {
    const Example e = ring(events, alive);
    CHECK(asks(e, 1) == "1 2 20 3 4 external wait");
    const Waits waits = find_waits(e.trace, e.model);
    REQUIRE(waits.open(e.model.find(1)) != nullptr);
    CHECK(waits.open(e.model.find(1))->begin == 0);
  }
  SUBCASE("events end the waits") {
    const Example e = ring(events +
                               "20 resolve 4\n 30 release 3 of 20\n 40 notify 20 by 9 =1\n"
                               "9000000 executor_end -",
                           alive);
    CHECK(asks(e, 3) == "3 starved");
    CHECK(asks(e, 1) == "1 2 starved");
  }
  SUBCASE("a wait recorded by events is reported once") {
    const Example e = ring(events + "20 resume 3 by 9\n 25 suspend 3 on 4\n 30 await 3 on 4",
                           "25 suspended 3 on 4 as coroutine holder\n 25 created 4 as io accept");
    const Waits waits = find_waits(e.trace, e.model);
    CHECK(waits.waits.size() == 1);
    CHECK(asks(e, 3) == "3 4 external wait");
  }
  SUBCASE("the target was recorded after the suspension, in the table only") {
    const Example e = ring(events + "20 resume 3 by 9\n 25 suspend 3",
                           "25 suspended 3 on 4 as coroutine holder\n 26 created 4 as io accept");
    // No event in this trace has the operation.
    CHECK(asks(e, 3) == "3 unknown");
    CHECK(asks(ring(events + "20 resume 3 by 9\n 25 suspend 3\n 40 idle -",
                    "25 suspended 3 on 4 as coroutine holder\n 26 created 4 as io accept"),
               3) == "3 4 external wait");
  }
  SUBCASE("in a cycle") {
    CHECK(asks(ring(events, "-2 suspended 1 on 2\n -1 suspended 2 on 1"), 1) == "1 2 deadlock");
  }
  SUBCASE("never started, or running since before the trace") {
    CHECK(asks(ring(events, "-2 created 1 as coroutine"), 1) == "1 never started");
    CHECK(asks(ring(events, "-2 running 1 as coroutine"), 1) == "1 running");
    CHECK(asks(ring(events, "-2 suspended 1 as coroutine"), 1) == "1 unknown");
  }
}

namespace {

// Task 1 waits from `wait` on for the timer 30, which never expires; `before` are further events.
Example timer_as_condition(const std::string& before, const std::string& after = {}) {
  return ours(R"(
     0 create 1 as coroutine query
     0 create 2 as coroutine network
     0 resource 1 of 30 as alarm deadline_timer
     1 resume 1
     2 create 3 by 1 as timer
     3 suspend 1 on 3
)" + before + R"(
    14 resolve 3 by 3
    15 resume 1 by 3
    16 about 1 of 30
    16 expires 1 =-1
    16 create 4 by 1 as timer
    16 suspend 1 on 4
)" + after);
}

const std::string early_cancel = R"(
     9 resume 2
    10 cancel_uses 2 of 30
    11 resolve 2 by 2
)";

Diagnosis diagnose_first(const Example& e) {
  return diagnose(e.trace, e.model, find_waits(e.trace, e.model), e.model.find(1));
}

}  // namespace

TEST_CASE("a timer that never expires is cancelled before the wait") {
  const Example e = timer_as_condition(early_cancel);
  const Diagnosis d = diagnose_first(e);
  CHECK(d.verdict == Verdict::LostWakeup);
  REQUIRE(d.cancel != Model::Object::none);
  CHECK(e.model.cancels[d.cancel].time == 10);
  CHECK(e.model.cancels[d.cancel].by == e.model.find(2));
  CHECK(d.is_last);
  CHECK(d.is_error());
}

TEST_CASE("while another operation is pending, a lost cancel is no error") {
  const Example e = timer_as_condition(early_cancel, R"(
    20 create 5 as coroutine accept
    20 create 6 by 5 as io
    20 resume 5
    21 suspend 5 on 6
  )");
  const Diagnosis d = diagnose_first(e);
  CHECK(d.verdict == Verdict::LostWakeup);
  CHECK(!d.is_last);
  CHECK(!d.is_error());
}

TEST_CASE("a timer that never expires, and no cancel that was lost") {
  SUBCASE("none") {
    const Diagnosis d = diagnose_first(timer_as_condition(""));
    CHECK(d.verdict == Verdict::NeverExpires);
    CHECK(d.is_last);
    CHECK(!d.is_error());
  }
  SUBCASE("the waiter set a new expiry itself") {
    CHECK(diagnose_first(timer_as_condition("", "")).verdict == Verdict::NeverExpires);
    CHECK(diagnose_first(timer_as_condition("5 cancel_uses 1 of 30")).verdict ==
          Verdict::NeverExpires);
  }
  SUBCASE("the cancel completed an earlier operation") {
    CHECK(diagnose_first(timer_as_condition(R"(
     5 about 1 of 30
     5 expires 1 =-1
     5 create 9 by 2 as timer
    10 cancel_uses 2 of 30
    12 resolve 9 by 9
    )"))
              .verdict == Verdict::NeverExpires);
  }
}

TEST_CASE("after the end, a timer that never expires is an error if the process had one thread") {
  Example e = timer_as_condition("");
  CHECK(!diagnose_first(e).is_error());
  e.trace.info.alone = 30;  // but not for long enough since the last event
  CHECK(!diagnose_first(e).is_error());
  e.trace.info.alone = 500'000'000;
  CHECK(diagnose_first(e).is_error());
  e.model.is_torn_down = true;
  CHECK(diagnose_first(e).is_error());

  Example later = timer_as_condition(R"(
     5 about 1 of 30
     5 expires 1 =-1
     5 create 9 by 2 as timer
     7 resolve 9 by 9
    10 cancel_uses 2 of 30
  )");
  later.trace.info.alone = 500'000'000;  // it checks before it waits, but is stuck all the same
  CHECK(diagnose_first(later).verdict == Verdict::LostWakeup);
  CHECK(diagnose_first(later).is_error());

  Example idle = timer_as_condition(R"(
     5 about 1 of 30
     5 expires 1 =-1
     5 create 9 by 2 as timer
    10 cancel_uses 2 of 30
    12 resolve 9 by 9
  )");
  idle.trace.info.alone = 500'000'000;
  CHECK(diagnose_first(idle).is_error());
  idle.model.is_torn_down = true;  // an idle worker, at the end of the program
  CHECK(!diagnose_first(idle).is_error());

  Example other = timer_as_condition("",
                                     "20 create 5 as coroutine accept\n 20 create 6 by 5 as io\n"
                                     "20 resume 5\n 21 suspend 5 on 6\n");
  other.trace.info.alone = 500'000'000;
  CHECK(!diagnose_first(other).is_error());
}

TEST_CASE("a wait is an error if no thread of the process can run again") {
  const auto stuck = [](Example& e, uint64_t asleep) {
    e.trace.info.asleep = asleep;
    std::string ids;
    for (const Diagnosis& d : faults_of(e.trace, e.model, find_waits(e.trace, e.model)))
      ids += e.id(d.chain.front().task) + " ";
    return ids;
  };
  const std::string worker = R"(
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
  )";
  SUBCASE("a worker without work, and a task that waits for a lost job") {
    Example e = ours(worker + R"(
       9 create 3 as promise reply
       9 create 2 as coroutine client
       9 resume 2
      10 suspend 2 on 3
    )");
    CHECK(stuck(e, 0).empty());
    CHECK(stuck(e, 5).empty());  // something ran after that
    CHECK(stuck(e, 50) == "2 ");
    e.model.is_torn_down = true;
    CHECK(stuck(e, 50).empty());
  }
  SUBCASE("only a worker") {
    Example e = ours(worker);
    CHECK(stuck(e, 50) == "1 ");
  }
  SUBCASE("a handler blocks the thread: what waits for peers is no error") {
    Example e = ours(R"(
       0 create 1 as coroutine accept
       0 create 2 by 1 as io socket.async_accept
       0 resume 1
       1 suspend 1 on 2
       2 create 3 as coroutine session
       2 resume 3
    )");
    e.model.end = 1'000'000'000;
    CHECK(stuck(e, 900'000'000) == "3 ");
  }
}

TEST_CASE("workers without work are no errors if no thread can run again") {
  const auto stuck = [](const std::string& events) {
    ObjectExample run(events, "Channel");
    run.e.trace.info.asleep = run.e.model.end = 2'000'000'000;
    const Subject s = run.subject();
    std::string ids;
    for (const Diagnosis& d : faults_of(s.trace, s.model, s.waits)) {
      ids += run.e.id(d.chain.front().task) + " ";
      CHECK(!d.is_idle_pool);
    }
    return ids;
  };
  const auto worker = [](const std::string& id, bool waited_before) {
    const std::string waits = "resume " + id + "\n1 suspend " + id + " at 5\n";
    return "0 create " + id + " as coroutine worker\n1 " + waits +
           (waited_before ? "1 " + waits : "");
  };
  const std::string pool = worker("1", true) + worker("2", true);
  CHECK(stuck(pool).empty());
  CHECK(stuck(worker("1", true)) == "1 ");  // one task may be all that the program does
  CHECK(stuck(pool + worker("3", false)) == "3 ");
  CHECK(stuck("0 create 4 as coroutine producer\n1 resume 4\n1 suspend 4 at 6\n1 resume 4\n"
              "1 suspend 4 at 6\n" +
              pool) == "4 1 ");
}

TEST_CASE("the only task left at an object may be idle if tasks of another object are stuck") {
  std::string events;
  for (const char* id : {"1", "2", "3"}) {
    const std::string at = std::string(" at ") + (*id == '1' ? "6" : "5") + "\n";
    events += std::string("0 create ") + id + " as coroutine " +
              (*id == '1' ? "producer" : "consumer") + "\n1 resume " + id + "\n1 suspend " + id +
              at + "1 resume " + id + "\n1 suspend " + id + at;
  }
  ObjectExample run(events);
  for (AwaitedObject& object : run.e.trace.awaited_objects)
    if (run.e.trace.events.row(object.event).task == 3) object.address = 0x20;
  run.e.trace.info.asleep = run.e.model.end = 2'000'000'000;
  const Subject s = run.subject();
  std::string ids;
  for (const Diagnosis& d : faults_of(s.trace, s.model, s.waits))
    ids += run.e.id(d.chain.front().task) + " ";
  CHECK(ids == "1 2 ");
}

TEST_CASE("a deadlock explains why no thread can run") {
  ObjectExample run(
      "0 create 1 as coroutine left\n0 create 2 as coroutine right\n"
      "0 create 3 as coroutine worker\n1 resume 3\n1 suspend 3 at 1\n"
      "1 resume 3\n2 suspend 3 at 1\n3 resume 1\n3 suspend 1 on 2\n"
      "4 resume 2\n4 suspend 2 on 1\n");
  run.e.trace.info.asleep = run.e.model.end = 2'000'000'000;
  const Subject s = run.subject();
  const auto faults = faults_of(s.trace, s.model, s.waits);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].verdict == Verdict::Deadlock);
}

TEST_CASE("a task whose awaiter started others may wait for them") {
  // sync_wait(when_all(reader, watcher)): all are lazy, and created by main().
  const std::string join = R"(
     0 create 1 as coroutine reader
     0 create 2 as coroutine watcher
     1 create 3 as coroutine branch
     1 create 4 as coroutine branch
     1 create 5 as coroutine join
     2 resume 5
     3 suspend 5
     4 resume 3
     5 suspend 3 on 1
     5 resume 1 by 3
     6 suspend 1
     7 resume 4
     8 suspend 4 on 2
     8 resume 2 by 4
     9 suspend 2
)";
  const auto started_by = [](Example& e, TaskId id) {
    const Waits waits = find_waits(e.trace, e.model);
    std::string ids;
    for (const TaskIndex task : diagnose(e.trace, e.model, waits, e.model.find(id)).started)
      ids += e.id(task) + " ";
    return ids;
  };
  SUBCASE("both branches") {
    Example e = ours(join);
    CHECK(started_by(e, 5) == "3 4 ");
    CHECK(started_by(e, 3).empty());  // its thread went on to start the other branch
    CHECK(started_by(e, 4).empty());
    e.trace.info.asleep = 50;
    std::string ids;
    for (const Diagnosis& d : faults_of(e.trace, e.model, find_waits(e.trace, e.model)))
      ids += e.id(d.chain.front().task) + " ";
    CHECK(ids == "3 4 ");
  }
  SUBCASE("one branch has ended") {
    Example e =
        ours(join + "10 resume 2\n 11 resolve 2 by 2\n 11 resume 4 by 2\n 12 resolve 4 by 4\n");
    CHECK(started_by(e, 5) == "3 ");
  }
  SUBCASE("the thread resumed another task first") {
    Example e = ours(R"(
     0 create 9 as coroutine other
     0 resume 9
     0 suspend 9
     1 create 3 as coroutine branch
     1 create 5 as coroutine join
     2 resume 5
     3 suspend 5
     4 resume 9
     5 suspend 9
     6 resume 3
     7 suspend 3
)");
    CHECK(started_by(e, 5).empty());
  }
  SUBCASE("the others may have run before the ring begins") {
    Example e = ring("4 resume 3\n 5 suspend 3\n",
                     "-9 suspended 5 as coroutine join\n -8 suspended 3 as coroutine branch\n");
    CHECK(started_by(e, 5).empty());
  }
  SUBCASE("a task that was created later") {
    Example e = ours(R"(
     1 create 5 as coroutine join
     2 resume 5
     3 suspend 5
     4 create 3 as coroutine branch
     6 resume 3
     7 suspend 3
)");
    CHECK(started_by(e, 5).empty());
  }
}

TEST_CASE("a long queue of handlers that is served is no error") {
  // One thread of a pool; each handler takes 700 ms.
  const auto is_error = [](uint64_t served) {
    constexpr uint64_t length = 700'000'000;
    std::string text = "0 create 99 as handler pool.post\n";
    for (uint64_t i = 1; i <= served; i++) {
      const std::string id = std::to_string(i);
      text += std::to_string(i * length) + " create " + id + " as handler pool.post\n" +
              std::to_string(i * length) + " resume " + id + "\n" +
              std::to_string((i + 1) * length - 1) + " resolve " + id + "\n";
    }
    Example e = ours(text +
                     "3500000000 create 200 as handler other.post\n"
                     "3500000001 resume 200\n3500000002 resolve 200\n");
    const Waits waits = find_waits(e.trace, e.model);
    const Diagnosis d = diagnose(e.trace, e.model, waits, e.model.find(99));
    CHECK(d.verdict == Verdict::Starved);
    return d.is_error();
  };
  CHECK(!is_error(4));  // the last one began 700 ms ago
  CHECK(is_error(2));   // 2.1 s ago
}

TEST_CASE("acceptors that are left after a signal") {
  TaskId set_since = no_task;  // of the last example
  const auto signal_of = [&](const std::string& more) {
    Example e = ours(R"(
     0 create 1 as io socket.async_accept
     1 create 2 as io signal_set.async_wait
     2 create 3 as timer wait
     9 resume 2
    10 resolve 2 by 2
)" + more);
    e.trace.info.ended = 200'000'000;
    e.model = build_model(e.trace, {.simplify = false});
    const Diagnosis acceptor = diagnose_first(e);
    set_since = acceptor.set_since == no_index ? no_task : e.model.tasks[acceptor.set_since].id;
    return e.id(acceptor.signal);
  };
  CHECK(signal_of("11 fail 3 by 3") == "2");
  CHECK(set_since == no_task);
  CHECK(signal_of("") == "-");  // a timer is pending
  CHECK(signal_of("11 fail 3 by 3\n 199900000 label 1 late") == "2");
  CHECK(signal_of("11 fail 3 by 3\n 12 create 4 as io signal_set.async_wait") == "-");
  // A timer whose handler sets it again.
  const std::string fires =
      "11 resume 3\n 12 about 3 of 30\n 12 expires 3 =1000000000\n"
      "12 create 5 by 3 as timer wait\n 13 resolve 3 by 3\n";
  CHECK(signal_of(fires) == "2");
  CHECK(set_since == 5);  // it may close the acceptor later
  CHECK(signal_of(fires + "14 create 6 as io socket.async_receive") == "-");
}

TEST_CASE("a task that waited on the timer before may check before it waits") {
  const Diagnosis d = diagnose_first(timer_as_condition(R"(
     5 about 1 of 30
     5 expires 1 =-1
     5 create 9 by 2 as timer
     7 resolve 9 by 9
    10 cancel_uses 2 of 30
  )"));
  CHECK(d.verdict == Verdict::LostWakeup);
  CHECK(d.waited_before);
  CHECK(!d.is_error());
}

TEST_CASE("a timer that was due while its thread was busy is starved") {
  const std::string busy = R"(
     0 create 1 as coroutine waiter
     0 create 2 as coroutine busy
     0 resume 1
     1 expires 1 =5000000
     1 create 4 by 1 as timer
     1 suspend 1 on 4
     2 resume 2
)";
  const Diagnosis d = diagnose_first(ours(busy + "90000000 label 2 still"));
  CHECK(d.verdict == Verdict::Starved);
  const Diagnosis early = diagnose_first(ours(busy + "5000000 label 2 still"));
  CHECK(early.verdict == Verdict::External);
}

TEST_CASE("a composed operation is one wait, whichever of its parts is pending") {
  // async_read: the first part has completed, and its handler starts the second one.
  Example e = ours(R"(
     0 create 1 as coroutine session
     0 resume 1
     1 create 2 by 1 as io socket.async_receive
     1 suspend 1 on 2
     5 resume 2
     6 create 3 by 2 as io socket.async_receive
     7 resolve 2 by 2
    9000000 executor_end -
  )");
  const Diagnosis d = diagnose_first(e);
  CHECK(d.verdict == Verdict::External);
  REQUIRE(d.chain.size() == 2);
  CHECK(e.id(d.chain[1].task) == "3");
  const Waits waits = find_waits(e.trace, e.model);
  CHECK(waits.waits[d.chain[0].wait].begin == 1);
}

TEST_CASE("an operation whose handler has returned without resuming its waiter") {
  // operator|| waits for the first of two coroutines; Asio starts each by a handler.
  const Diagnosis invoked = diagnose_first(ours(R"(
     0 create 1 as coroutine either
     0 resume 1
     1 create 2 by 1 as handler io_context.execute
     1 suspend 1 on 2
     5 resume 2
     7 resolve 2 by 2
     8 create 4 as coroutine other
     8 resume 4
    9000000 label 4 busy
  )"));
  CHECK(invoked.verdict == Verdict::Unknown);
  const Diagnosis completed = diagnose_first(ours(R"(
     0 create 1 as coroutine session
     0 resume 1
     1 create 2 by 1 as io read
     1 suspend 1 on 2
     7 resolve 2 by 2
     8 create 4 as coroutine other
     8 resume 4
    9000000 label 4 busy
  )"));
  CHECK(completed.verdict == Verdict::Starved);
}

TEST_CASE("only threads that run handlers of its context delay a handler") {
  // The thread pool has stopped; a task of an io_context runs on another thread.
  const std::string stopped = R"(
     0 create 1 as handler thread_pool.execute @1
     1 resume 1 @1
     2 resolve 1 by 1 @1
     3 executor_end - @1
     4 create 2 as coroutine request
     4 resume 2
     5 create 3 by 2 as handler thread_pool.execute
     5 suspend 2 on 3
     6 create 4 as coroutine health
     6 resume 4
)";
  const auto diagnose_request = [](const Example& e) {
    return diagnose(e.trace, e.model, find_waits(e.trace, e.model), e.model.find(2));
  };
  const Example lost = ours(stopped + "9000000 label 4 busy");
  const Diagnosis d = diagnose_request(lost);
  CHECK(d.verdict == Verdict::Starved);
  CHECK(d.blocker == no_index);
  CHECK(d.served == 2);
  const Example busy = ours(stopped + R"(
     7 create 5 as coroutine hog @2
     7 create 6 as handler thread_pool.execute @2
     7 resume 6 @2
     8 resume 5 @2
    9000000 label 5 busy @2
  )");
  CHECK(busy.id(diagnose_request(busy).blocker) == "5");
}

TEST_CASE("a handler that a signal left in a stopped context is no error") {
  const auto is_error = [](const std::string& how) {
    const Example e = ours(R"(
       0 create 1 as io signal_set.async_wait @1
       1 )" + how + R"( 1 @1
       2 create 2 as handler io_context.execute @1
       2 resume 2 @1
       3 resolve 2 by 2 @1
       4 create 3 as coroutine session
       4 resume 3
       5 create 4 by 3 as handler io_context.execute
       5 suspend 3 on 4
       6 create 5 as coroutine solve
       6 resume 5
     2900000000 label 5 solved
    )");
    const Diagnosis d = diagnose(e.trace, e.model, find_waits(e.trace, e.model), e.model.find(3));
    CHECK(d.verdict == Verdict::Starved);
    return d.is_error();
  };
  CHECK(!is_error("resolve"));
  CHECK(is_error("cancel"));
}

TEST_CASE("many tasks wait where none has continued") {
  const auto waiters = [](int count, const std::string& rest) {
    std::string text;
    for (int i = 1; i <= count; i++) {
      const std::string t = std::to_string(10 * i) + " ", id = std::to_string(i);
      text += t + "create " + id + " as coroutine leak\n" + t + "resume " + id + "\n" + t +
              "suspend " + id + "\n";
    }
    return ours(text + rest);
  };
  const auto crowd_until = [](const Example& e) {
    const Waits waits = find_waits(e.trace, e.model);
    return diagnose_all(e.trace, e.model, waits)[0].crowd_until;
  };
  CHECK(crowd_until(waiters(20, "")) == 200);
  CHECK(crowd_until(waiters(19, "")) == Waits::never);
  CHECK(crowd_until(waiters(21, "300 resume 1\n 301 resolve 1\n")) == Waits::never);
}

TEST_CASE("a task that the last event resumed is running") {
  const Example e = ours(R"(
     0 create 1 as coroutine report
     5 resume 1
  )");
  const std::vector<Diagnosis> all = diagnose_all(e.trace, e.model, find_waits(e.trace, e.model));
  REQUIRE(all.size() == 1);
  CHECK(all[0].verdict == Verdict::Running);
  CHECK(all[0].running_since == 5);
  CHECK(!is_end_known(e.model));
  // Also if it has run before.
  const Example again = ours(R"(
     0 create 1 as coroutine report
     5 resume 1
     6 suspend 1
   100 resume 1
  )");
  const auto later = diagnose_all(again.trace, again.model, find_waits(again.trace, again.model));
  REQUIRE(later.size() == 1);
  CHECK(later[0].running_since == 100);
  // Of a process at full speed, events are later than the time at which it was looked at.
  const Model live = build_model(e.trace, {.until = 3, .is_live = true});
  CHECK(is_end_known(live));
  CHECK(diagnose_all(e.trace, live, find_waits(e.trace, live)).empty());
}

TEST_CASE("a task that has run for long") {
  Example e = ours(R"(
     0 create 1 as coroutine report
     5 resume 1
    20 label 1 begins
  )");
  const auto diagnoses = [&] {
    return diagnose_all(e.trace, e.model, find_waits(e.trace, e.model));
  };
  REQUIRE(diagnoses().size() == 1);  // when the process ended is unknown
  CHECK(diagnoses()[0].verdict == Verdict::Running);
  CHECK(!diagnoses()[0].is_error());
  e.trace.info.ended = 50'000'000;
  e.model = build_model(e.trace);
  CHECK(diagnoses().empty());
  e.trace.info.ended = 2'000'000'000;
  e.model = build_model(e.trace);
  REQUIRE(diagnoses().size() == 1);
  CHECK(diagnoses()[0].verdict == Verdict::Running);
}

TEST_CASE("why: a handler of a loop that is polled now and then is no error") {
  const auto is_error = [](int earlier, uint64_t ms) {
    std::string events;
    uint64_t time = 0;
    for (int i = 0; i < earlier; i++) {
      const std::string id = std::to_string(10 + i);
      events += std::to_string(time) + " create " + id + " as handler io_context.execute\n";
      time += 1'500'000'000;
      events += std::to_string(time) + " resume " + id + " @1\n" + std::to_string(time + 1) +
                " resolve " + id + " @1\n";
      time += 2;
    }
    events += std::to_string(time) + " create 3 as handler io_context.execute\n" +
              std::to_string(time + ms * 1'000'000) + " executor_end -\n";
    const Example e = ours(events);
    const auto found = diagnose_all(e.trace, e.model, find_waits(e.trace, e.model));
    REQUIRE(found.size() == 1);
    CHECK(found.front().verdict == Verdict::Starved);
    return found.front().is_error();
  };
  CHECK(is_error(2, 2000));
  CHECK(!is_error(3, 2000));
  CHECK(!is_error(0, 200));  // a busy machine may run the thread that late
}

TEST_CASE("why: a task that sleeps again and again comes after one that waits for the first time") {
  const auto first_of = [](const std::string& last) {
    AnalyzedExample run(R"(
      0 create 1 as coroutine sleeper
      0 resume 1
      1 suspend 1
      500000001 resume 1
      500000002 suspend 1
      1000000002 resume 1
      1000000003 suspend 1
      1500000003 resume 1
      1500000004 create 2 as coroutine stuck
      1500000005 suspend 1
      1500000006 resume 2
      1500000007 suspend 2
)" + last);
    for (Waits::Wait& wait : run.waits.waits) wait.location = 1;
    const auto found = diagnose_all(run.e.trace, run.e.model, run.waits);
    REQUIRE(!found.empty());
    return run.e.id(found.front().chain.front().task);
  };
  CHECK(first_of("1900000000 executor_end -") == "2");
  CHECK(first_of("2900000000 executor_end -") == "1");  // longer than ever
}
