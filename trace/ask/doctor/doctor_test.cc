#include "trace/ask/doctor/doctor.h"

#include <doctest/doctest.h>

#include <set>

#include "trace/ask/doctor/test_findings.h"
#include "trace/ask/random_events_trace.h"
#include "trace/ask/random_program.h"

using namespace skein;

namespace {

using Fault = RandomProgram::Fault;

}  // namespace

TEST_CASE("lints have names, and can be found by name") {
  for (size_t i = 0; i < lint_count; i++) {
    CHECK(find_lint(name(static_cast<Lint>(i))) == static_cast<Lint>(i));
  }
  CHECK(!find_lint("no-such-lint"));
}

TEST_CASE("in a ring, tasks that may have ended in an overwritten packet are not reported") {
  const std::string events = R"(
     0 resource 9 of 20 as mutex a
     0 resource 9 of 21 as mutex b
     1 create 1 as coroutine made_and_run_elsewhere
     1 create 2 as handler posted_and_run_elsewhere
     1 create 3 as io async_send
     2 acquire 4 of 20
     3 acquire 4 of 21
     4 suspend 5 on 20
     9 release 4 of 21
  )";
  const std::string later =
      "5000 acquire 6 of 21\n 5001 acquire 6 of 20\n 5002 release 6 of 20\n"
      "5003 release 6 of 21\n 5004 acquire 4 of 21\n 5005 release 4 of 21\n"
      "9000000 executor_end -";
  const std::string alive = "-9 suspended 8 on 7 as coroutine\n";
  CHECK(findings_text(ring(events + later, alive, 1000)) == "");
  SUBCASE("the table lists them as live") {
    const std::string those =
        "1 created 1 as coroutine\n 1 created 2 as handler\n 1 created 3 as io\n"
        "4 suspended 5 on 20\n";
    const std::string found =
        findings_text(ring(events + later, those + alive + "2 resource 20 on 4 as mutex\n", 1000));
    for (const char* lint : {"never-started 1", "handler-never-invoked 2", "operation-pending 3",
                             "suspended-too-long 5 20", "lock-order-cycle"})
      CHECK_MESSAGE(found.find(lint) != std::string::npos, std::string(lint), " in ", found);
  }
}

TEST_CASE("similar findings are merged, and the worst is shown") {
  std::string text = "0 create 9 as coroutine\n 1 resume 9\n";
  for (int i = 0; i < 50; i++)
    text += "2 create " + std::to_string(100 + i) + " as coroutine forgotten\n";
  const Example e =
      ours(text + "3 create 8 as coroutine other\n 4 resolve 9\n 9000000 executor_end -");
  CHECK(findings_text(e) == "never-started 100 - x50\nnever-started 8 -\n");
  const auto found = findings(e.trace, drawn);
  CHECK(found[0].total == 50 * found[0].duration);
}

TEST_CASE("only the selected lints") {
  const Example e = ours(
      "0 create 9 as coroutine\n 1 resume 9\n 2 create 1 as coroutine\n 3 create 2 as handler\n"
      "1000 resolve 9\n 1001 resume 2\n 1002 resolve 2\n 900000000 executor_end -");
  CHECK(findings_text(e) == "never-started 1 -\nran-too-long 9 -\n");
  DoctorOptions one = drawn;
  one.lints = 1u << static_cast<unsigned>(Lint::RanTooLong);
  CHECK(findings_text(e, one) == "ran-too-long 9 -\n");
}

TEST_CASE("random programs: each planted bug is found, and nothing else") {
  struct Expected {
    Fault fault;
    Lint lint;
  };
  constexpr Expected table[] = {{Fault::LostWakeUp, Lint::NotifyBeforeWait},
                                {Fault::NeverNotified, Lint::SuspendedTooLong},
                                {Fault::LockCycle, Lint::LockOrderCycle},
                                {Fault::AwaitCycle, Lint::SuspendedTooLong},
                                {Fault::EndedHolding, Lint::SuspendedTooLong},
                                {Fault::Starved, Lint::SuspendedTooLong},
                                {Fault::LockOrder, Lint::LockOrderCycle},
                                {Fault::HeldAcrossWait, Lint::LockAcrossWait},
                                {Fault::Destroyed, Lint::DestroyedUnresolved},
                                {Fault::NeverStarted, Lint::NeverStarted},
                                {Fault::NeverCalled, Lint::HandlerNeverInvoked},
                                {Fault::RanTooLong, Lint::RanTooLong},
                                {Fault::WakesItself, Lint::SelfWake},
                                {Fault::QueueGrows, Lint::QueueOnlyGrows},
                                {Fault::LevelGrows, Lint::CounterOnlyGrows},
                                {Fault::NeverSent, Lint::OperationPending}};
  for (uint32_t seed = 1; seed <= programs_of(300); seed++) {
    CAPTURE(seed);
    CHECK(findings(RandomProgram(seed, Fault::None).trace).empty());
  }
  for (const Expected& expected : table)
    for (uint32_t seed = 1; seed <= programs_of(75); seed++) {
      CAPTURE(name(expected.lint));
      CAPTURE(static_cast<int>(expected.fault));
      CAPTURE(seed);
      const RandomProgram program(seed, expected.fault);
      const Model model = build_model(program.trace, {.simplify = false});
      const std::vector<Finding> found =
          examine(program.trace, model, find_waits(program.trace, model));
      std::set<TaskIndex> concerned;
      for (const Finding& f : found) {
        // With Starved, another task runs for too long.
        if (expected.fault != Fault::Starved || f.lint != Lint::RanTooLong)
          CHECK(name(f.lint) == name(expected.lint));
        concerned.insert({f.task, f.other});
        for (const auto& e : f.evidence) concerned.insert({e.task, e.other});
        CHECK(f.begin <= f.end);
        CHECK(!f.evidence.empty());
      }
      REQUIRE(!found.empty());
      for (const TaskId id : {program.victim, program.thing})
        if (id != no_task && expected.fault != Fault::Starved)
          CHECK(concerned.count(model.find(id)) == 1);
    }
}

TEST_CASE("with random options on random events, no time is out of bounds") {
  for (uint32_t seed = 1; seed <= programs_of(3'000); seed++) {
    const Trace trace = random_events_trace(seed);
    const Model model = build_model(trace, {.simplify = false});
    CAPTURE(seed);
    const DoctorOptions eager = {.suspended = 1,
                                 .running = 1,
                                 .held = 1,
                                 .self_wake_share = 0,
                                 .self_wakes = 1,
                                 .strict = true};
    for (const DoctorOptions& options : {DoctorOptions(), strict, eager})
      for (const Finding& f : examine(trace, model, find_waits(trace, model), options)) {
        CHECK(f.begin <= f.end);
        CHECK(f.end <= model.end);
        CHECK(f.count > 0);
        for (const auto& e : f.evidence) CHECK(e.begin <= e.end);
      }
  }
}
