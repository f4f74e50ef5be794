#include "trace/ask/divergence.h"

#include <doctest/doctest.h>

#include "trace/ask/random_events_trace.h"
#include "trace/ask/random_program.h"
#include "trace/ask/timing.h"
#include "trace/model/example.h"

using namespace skein;

namespace {

// A trace with its model and waits.
struct AnalyzedTrace {
  explicit AnalyzedTrace(Trace&& analyzed)
      : trace(std::move(analyzed)),
        model(build_model(trace, {.simplify = false})),
        waits(find_waits(trace, model)) {}
  Subject run() const { return {trace, model, waits}; }
  TaskId id(TaskIndex task) const { return task == no_index ? no_task : model.tasks[task].id; }

  Trace trace;
  Model model;
  Waits waits;
};

std::vector<Divergence> differ(const AnalyzedTrace& good, const AnalyzedTrace& bad) {
  return find_divergences(good.run(), bad.run(), align(good.run(), bad.run()));
}

std::string text_of(const AnalyzedTrace& run, const CausalEvent& h) {
  if (h.kind == EventKind::Lost) return "-";
  const auto id = [&](TaskIndex task) {
    return task == no_index ? std::string("-") : std::to_string(run.id(task));
  };
  return std::to_string(h.time) + " " + std::string(name(h.kind)) + " " + id(h.task) + " " +
         id(h.other);
}

// "order: 5 resolve 3 2 < 7 notify 9 1; 4 notify 9 1 < 5 resolve 3 2"
std::string text_of(const AnalyzedTrace& good, const AnalyzedTrace& bad, const Divergence& d) {
  std::string text = std::string(name(d.kind)) + ": ";
  if (d.kind == Divergence::Kind::Order)
    return text + text_of(good, d.good) + " < " + text_of(good, d.good_later) + "; " +
           text_of(bad, d.bad_earlier) + " < " + text_of(bad, d.bad);
  return text + text_of(good, d.good) + "; " + text_of(bad, d.bad);
}

std::string first(const std::string& good_text, const std::string& bad_text) {
  const AnalyzedTrace good(ours(good_text).trace), bad(ours(bad_text).trace);
  const std::vector<Divergence> found = differ(good, bad);
  return found.empty() ? "nothing" : text_of(good, bad, found.front());
}

// The motivating example: the answer is notified while the query waits for it, or before, because
// the card has not acknowledged the query.
const std::string before = R"(
     0 create 1 as coroutine listen
     0 resource - of 2 as condition answer
     1 create 3 by - as coroutine query
     1 should_resolve 3
     2 resume 3
     3 create 4 by 3 as promise sent
)";
const std::string answered_late = before + R"(
     4 suspend 3 on 4
     5 resolve 4 by -
     6 resume 3 by 4
     7 suspend 3 on 2
     8 resume 1
     9 notify 2 by 1 =1
    10 resume 3 by 1
    11 resolve 3 by 3
)";
const std::string answered_early = before + R"(
     4 suspend 3 on 4
     5 resume 1
     6 notify 2 by 1 =0
     7 suspend 1
     8 resolve 4 by -
     9 resume 3 by 4
    10 suspend 3 on 2
    5000000 wake -
)";

}  // namespace

TEST_CASE("a lost wake-up: the order of the causes of the wait and the notification") {
  CHECK(first(answered_late, answered_early) ==
        "order: 5 resolve 4 3 < 9 notify 2 1; 6 notify 2 1 < 8 resolve 4 3");
  CHECK(first(answered_late, answered_late) == "nothing");
  CHECK(first(answered_early, answered_early) == "nothing");
  CHECK(first(answered_early, answered_late) == "nothing");
}

TEST_CASE("the intended notifier waits for a read that does not complete") {
  const std::string same = R"(
     0 create 1 as coroutine listen
     0 resource - of 2 as condition answer
     1 create 3 by - as coroutine query
     1 should_resolve 3
     2 resume 1
     3 create 4 by 1 as io read
     4 suspend 1 on 4
     5 resume 3
     6 suspend 3 on 2
  )";
  CHECK(first(same + R"(
     7 resolve 4 by -
     8 resume 1 by 4
     9 notify 2 by 1 =1
    10 resume 3 by 1
    11 resolve 3 by 3
    12 suspend 1
  )",
              same + "5000000 wake -") == "not done: 7 resolve 4 1; -");
}

TEST_CASE("the task failed instead of completing") {
  const std::string same = R"(
     0 create 1 as coroutine fetch
     1 resume 1
  )";
  CHECK(first(same + "5 resolve 1 by 1", same + "7 fail 1 by 1 refused") ==
        "other end: 5 resolve 1 -; 7 fail 1 -");
}

TEST_CASE(
    "equal failures of many tasks are one divergence, waits for separate operations are not") {
  std::string good, fails, waits;
  for (int task = 1; task <= 40; task++) {
    const std::string t = std::to_string(task), timer = std::to_string(100 + task);
    const std::string begin = "0 create " + t + " as coroutine fetch\n1 resume " + t +
                              "\n1 create " + timer + " by " + t + " as io read\n1 suspend " + t +
                              " on " + timer + "\n";
    good += begin;
    fails += begin;
    waits += begin;
  }
  for (int task = 1; task <= 40; task++) {
    const std::string t = std::to_string(task), timer = std::to_string(100 + task);
    const std::string end = "2 resolve " + timer + " by -\n3 resume " + t + " by " + timer + "\n";
    good += end + "3 resolve " + t + " by " + t + "\n";
    fails += end + "3 fail " + t + " by " + t + " refused\n";
  }
  const AnalyzedTrace one(ours(good).trace);
  const std::vector<Divergence> failed = differ(one, AnalyzedTrace(ours(fails).trace));
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].tasks == 40);
  const std::vector<Divergence> stuck =
      differ(one, AnalyzedTrace(ours(waits + "9000000 wake -").trace));
  uint64_t tasks = 0;
  for (const Divergence& d : stuck) tasks += d.tasks;
  CHECK(stuck.size() == 16);  // one per operation, up to the limit
  CHECK(tasks == 40);
}

TEST_CASE("code that runs in one run only; another number of the same tasks is no divergence") {
  const std::string one = R"(
     0 create 1 as coroutine session
     1 resume 1
     2 resolve 1 by 1
  )";
  const std::string three = one + R"(
     3 create 2 as coroutine session
     3 resume 2
     4 resolve 2 by 2
     5 create 3 as coroutine retry
     6 resume 3
     7 resolve 3 by 3
  )";
  CHECK(first(one, three) == "only in bad: -; 5 create 3 -");
  CHECK(first(three, one) == "only in good: 5 create 3 -; -");
}

TEST_CASE("timing: self times of groups, and their share of the total") {
  const auto text = [](int read, int ran) {
    return R"(
       0 create 1 as coroutine session
       0 resume 1
       1 create 2 by 1 as coroutine fetch
       1 suspend 1 on 2
       1 resume 2 by 1
       2 create 3 by 2 as io read
       2 suspend 2 on 3
       )" + std::to_string(read) +
           " resolve 3 by -\n" + std::to_string(read) + " resume 2 by 3\n" + std::to_string(ran) +
           " resolve 2 by 2\n" + std::to_string(ran) + " resume 1 by 2\n" +
           std::to_string(ran + 1) + " resolve 1 by 1\n";
  };
  const AnalyzedTrace good(ours(text(10, 12)).trace), bad(ours(text(40, 43)).trace);
  const std::vector<TimingDifference> found =
      timing_differences(good.run(), bad.run(), align(good.run(), bad.run()));
  REQUIRE(found.size() == 1);  // the session only waited for the fetch
  CHECK(good.id(found[0].first) == 2);
  CHECK(found[0].count == 1);
  CHECK(found[0].good.blocked == 8);
  CHECK(found[0].bad.blocked == 38);
  CHECK(found[0].good.running == 3);
  CHECK(found[0].bad.running == 4);
  CHECK(found[0].size() == 31);
  CHECK(sum_of(found) == 31);
}

TEST_CASE("two runs of the same correct program do not diverge") {
  for (uint32_t seed = 1; seed <= programs_of(500); seed++) {
    CAPTURE(seed);
    using Fault = RandomProgram::Fault;
    const Fault faults[] = {Fault::None, Fault::LostWakeUp, Fault::NeverNotified, Fault::LockCycle,
                            Fault::EndedHolding};
    const Fault fault = faults[seed % 5];
    const AnalyzedTrace good(
        RandomProgram(seed, fault, {.seed = 1'000 + seed, .spared = true}).trace);
    const AnalyzedTrace other(
        RandomProgram(seed, fault, {.seed = 9'000 + seed, .spared = true}).trace);
    const std::vector<Divergence> found = differ(good, other);
    const std::string text = found.empty() ? "" : text_of(good, other, found.front());
    CHECK(text == "");
  }
}

TEST_CASE("a planted fault is the first divergence from a spared run") {
  using Fault = RandomProgram::Fault;
  for (const Fault fault :
       {Fault::LostWakeUp, Fault::NeverNotified, Fault::LockCycle, Fault::EndedHolding})
    for (uint32_t seed = 1; seed <= programs_of(250); seed++) {
      CAPTURE(static_cast<int>(fault));
      CAPTURE(seed);
      RandomProgram spared(seed, fault, {.seed = 1'000 + seed, .spared = true});
      RandomProgram struck(seed, fault, {.seed = 9'000 + seed});
      const AnalyzedTrace good(std::move(spared.trace)), bad(std::move(struck.trace));
      const std::vector<Divergence> found = differ(good, bad);
      REQUIRE(!found.empty());
      const Divergence& d = found.front();
      const std::string text = text_of(good, bad, d);
      CAPTURE(text);
      using DivergenceKind = Divergence::Kind;
      if (fault == Fault::LostWakeUp) {
        CHECK(d.kind == DivergenceKind::Order);
        CHECK(good.id(d.good_later.task) == spared.thing);
        CHECK(bad.id(d.bad_earlier.task) == struck.thing);
        CHECK(d.bad_earlier.kind == EventKind::Notify);
      } else if (fault == Fault::LockCycle) {
        CHECK(d.kind == DivergenceKind::Order);
        CHECK(d.good.kind == EventKind::Acquire);
        CHECK(d.bad_earlier.kind == EventKind::Acquire);
      } else {
        CHECK(d.kind == DivergenceKind::NotDone);
        CHECK(good.id(d.good.task) == spared.thing);
        CHECK(d.good.kind ==
              (fault == Fault::EndedHolding ? EventKind::Release : EventKind::Notify));
      }
      if (d.kind == DivergenceKind::Order) {
        CHECK(d.good.time < d.good_later.time);
        CHECK(d.bad_earlier.time < d.bad.time);
      }
      if (fault == Fault::LockCycle) continue;
      const auto is_victim = [&](const Diagnosis::Step& step) {
        return bad.id(step.task) == struck.victim;
      };
      CHECK(std::any_of(d.victim.chain.begin(), d.victim.chain.end(), is_victim));
    }
}

TEST_CASE("traces of random events can be compared") {
  for (uint32_t seed = 1; seed <= programs_of(2'000); seed++) {
    const AnalyzedTrace good(random_events_trace(seed)), bad(random_events_trace(seed / 2 + 7'000));
    for (const Divergence& d : differ(good, bad))
      if (d.kind == Divergence::Kind::Order) CHECK(d.good.time <= d.good_later.time);
    timing_differences(good.run(), bad.run(), align(good.run(), bad.run()));
  }
}
