#include "trace/ask/doctor/doctor.h"

#include <doctest/doctest.h>

#include <set>
#include <sstream>

#include "trace/ask/doctor/growth.h"
#include "trace/ask/doctor/lock_order.h"
#include "trace/ask/nonsense.h"
#include "trace/ask/random_program.h"
#include "trace/model/example.h"

using namespace skein;

namespace {

using Fault = RandomProgram::Fault;
using What = Finding::Evidence::What;

// In the drawn examples a tick is 1 ns, and 100 of them are long.
constexpr DoctorOptions drawn = {.suspended = 100, .running = 100, .held = 50, .self_wakes = 4};
constexpr DoctorOptions strict = {
    .suspended = 100, .running = 100, .held = 50, .self_wakes = 4, .strict = true};

std::vector<Finding> findings(const Trace& trace, const DoctorOptions& options = {}) {
  const Model model = build_model(trace, {.simplify = false});
  return examine(trace, model, find_waits(trace, model), options);
}

// "lint task other", one a line; " xN" behind those of which there are several.
std::string told(const Example& e, const DoctorOptions& options = drawn) {
  std::ostringstream out;
  for (const Finding& f : findings(e.trace, options)) {
    out << name(f.lint) << " " << e.id(f.task) << " " << e.id(f.other);
    if (f.count > 1) out << " x" << f.count;
    out << "\n";
  }
  return out.str();
}

}  // namespace

TEST_CASE("the lints have names, and are found by them") {
  for (size_t i = 0; i < lint_count; i++) {
    CHECK(find_lint(name(static_cast<Lint>(i))) == static_cast<Lint>(i));
  }
  CHECK(!find_lint("no-such-lint"));
}

TEST_CASE("notify-before-wait") {
  const auto example = [](const std::string& what) {
    return ours(
        "0 create 1 as coroutine query\n 0 create 2 as coroutine network\n"
        "0 resource 1 of 20 as condition answered\n 0 resource 1 of 21 as semaphore free\n"
        "1 resume 1\n" +
        what);
  };
  const std::string lost = "10 notify 20 by 2 =0\n 16 suspend 1 on 20\n 50 executor_end -";
  const Example e = example(lost);
  const auto found = findings(e.trace, drawn);
  REQUIRE(found.size() == 1);
  CHECK(told(e) == "notify-before-wait 1 20\n");
  CHECK(found[0].severity == Finding::Severity::Fault);
  CHECK(found[0].begin == 10);
  CHECK(found[0].end == 16);
  REQUIRE(found[0].evidence.size() == 2);
  CHECK(found[0].evidence[0].what == What::Notified);
  CHECK(e.id(found[0].evidence[0].other) == "2");
  CHECK(found[0].evidence[1].what == What::Waits);
  CHECK(found[0].evidence[1].end == Waits::never);

  SUBCASE("destroyed while it waited") {
    CHECK(told(example(lost + "\n60 cancel 1")) == "notify-before-wait 1 20\n");
  }
  SUBCASE("notified again, and reported") {
    CHECK(told(example("10 notify 20 by 2 =0\n 16 suspend 1 on 20\n 18 notify 20 by 2 =1\n"
                       "19 resume 1 by 2\n 20 resolve 1")) == "");
  }
  SUBCASE("a semaphore remembers") {
    CHECK(told(example("10 notify 21 by 2 =0\n 16 suspend 1 on 21\n 50 executor_end -")) == "");
  }
  SUBCASE("it waits there again and again: only when strict") {
    const Example again =
        example("3 suspend 1 on 20\n 5 notify 20 by 2 =1\n 6 resume 1 by 2\n" + lost);
    CHECK(told(again) == "");
    CHECK(told(again, strict).starts_with("notify-before-wait 1 20\n"));
  }
  SUBCASE("a promise that had ended") {
    const Example promise = ours(R"(
       0 create 1 as coroutine
       0 create 3 as promise
       1 resume 1
       5 resolve 3 by 1
       9 suspend 1 on 3
      1000009 label 1 x
    )");
    CHECK(told(promise) == "notify-before-wait 1 3\n");
    const Example just_now = ours(R"(
       0 create 1 as coroutine
       0 create 3 as promise
       1 resume 1
       5 resolve 3 by 1
       9 suspend 1 on 3
      1000008 label 1 x
    )");
    CHECK(told(just_now) == "");
  }
}

TEST_CASE("lock-order-cycle") {
  // One after the other, and never at the same moment.
  const auto example = [](const std::string& what) {
    return ours(
        "0 create 1 as coroutine one\n 0 create 2 as coroutine two\n"
        "0 create 3 as coroutine three\n"
        "0 resource 1 of 20 as mutex a\n 0 resource 1 of 21 as mutex b\n"
        "0 resource 1 of 22 as mutex c\n" +
        what + "\n90 executor_end -");
  };
  const auto takes = [](int time, const std::string& task, std::vector<std::string> locks) {
    std::string text;
    for (const std::string& lock : locks)
      text += std::to_string(time++) + " acquire " + task + " of " + lock + "\n";
    for (size_t i = locks.size(); i-- > 0;)
      text += std::to_string(time++) + " release " + task + " of " + locks[i] + "\n";
    return text;
  };
  CHECK(told(example(takes(10, "1", {"20", "21"}) + takes(20, "2", {"21", "20"}))) ==
        "lock-order-cycle 20 21\n");
  SUBCASE("the edges have their places and times") {
    const Example e = example(takes(10, "1", {"20", "21"}) + takes(20, "2", {"21", "20"}));
    const auto found = findings(e.trace, drawn);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Finding::Severity::Warning);
    std::string edges;
    for (const auto& edge : found[0].evidence)
      edges += e.id(edge.task) + (edge.what == What::Holds ? " holds " : " takes ") +
               e.id(edge.other) + " " + std::to_string(edge.begin) + "; ";
    CHECK(edges == "1 holds 20 10; 1 takes 21 11; 2 holds 21 20; 2 takes 20 21; ");
  }
  SUBCASE("by way of a third") {
    CHECK(told(example(takes(10, "1", {"20", "21"}) + takes(20, "2", {"21", "22"}) +
                       takes(30, "3", {"22", "20"}))) == "lock-order-cycle 20 21\n");
  }
  SUBCASE("always in one order") {
    CHECK(told(example(takes(10, "1", {"20", "21", "22"}) + takes(20, "2", {"20", "22"}) +
                       takes(30, "3", {"21", "22"}))) == "");
  }
  SUBCASE("one task does not wait for itself") {
    CHECK(told(example(takes(10, "1", {"20", "21"}) + takes(20, "1", {"21", "20"}))) == "");
  }
  SUBCASE("behind a third lock that both take first") {
    CHECK(told(example(takes(10, "1", {"22", "20", "21"}) + takes(20, "2", {"22", "21", "20"}))) ==
          "");
    CHECK(told(example(takes(10, "1", {"22", "20", "21"}) + takes(20, "2", {"22", "21", "20"}) +
                       takes(40, "3", {"20", "21"}))) == "lock-order-cycle 20 21\n");
  }
  SUBCASE("the first was given back") {
    CHECK(told(example(takes(10, "1", {"20"}) + takes(12, "1", {"21"}) +
                       takes(20, "2", {"21", "20"}))) == "");
  }
  SUBCASE("it has come to pass") {
    const Example e = example(R"(
      10 acquire 1 of 20
      11 acquire 2 of 21
      12 suspend 1 on 21
      13 suspend 2 on 20
      500 label 3 still
    )");
    const auto found = findings(e.trace, drawn);
    REQUIRE(found.size() == 1);
    CHECK(found[0].lint == Lint::LockOrderCycle);
    CHECK(found[0].severity == Finding::Severity::Fault);
  }
}

TEST_CASE("destroyed-unresolved") {
  const std::string begin = R"(
     0 create 1 as coroutine waits
     0 create 2 as coroutine work
     1 resume 1
     2 suspend 1 on 2
     3 resume 2
     4 suspend 2
  )";
  const std::string end = "30 create 9 as coroutine\n 31 resume 9\n 32 resolve 9\n";
  CHECK(told(ours(begin + "20 cancel 2\n" + end)) == "destroyed-unresolved 2 1\n");
  CHECK(told(ours(begin + "10 should_resolve 2\n 20 cancel 2\n 21 cancel 1\n" + end)) ==
        "destroyed-unresolved 2 -\n");
  SUBCASE("with a lock") {
    CHECK(told(ours(begin +
                    "0 resource 1 of 20 as mutex m\n 10 acquire 2 of 20\n 20 cancel 2\n"
                    "21 cancel 1\n" +
                    end)) == "destroyed-unresolved 2 -\n");
    CHECK(told(ours(begin +
                    "0 resource 1 of 20 as mutex m\n 10 acquire 2 of 20\n 12 release 2 of 20\n"
                    "20 cancel 2\n 21 cancel 1\n" +
                    end)) == "");
  }
  SUBCASE("no task depends on it") {
    const Example both = ours(begin + "20 cancel 2\n 21 cancel 1\n" + end);
    CHECK(told(both) == "");
    CHECK(told(both, strict) == "destroyed-unresolved 1 -\ndestroyed-unresolved 2 -\n");
  }
  SUBCASE("the waiter was notified") {
    CHECK(told(ours(begin + "20 cancel 2\n 21 resume 1 by 2\n 22 resolve 1\n" + end)) == "");
  }
}

TEST_CASE("never-started") {
  const std::string runs = "0 create 9 as coroutine\n 1 resume 9\n 2 resolve 9\n";
  CHECK(told(ours(runs + "3 create 1 as coroutine\n 5000000 executor_end -")) ==
        "never-started 1 -\n");
  CHECK(told(ours("0 create 1 as coroutine\n 10 cancel 1\n 11 create 9 as coroutine\n"
                  "12 resume 9\n 13 resolve 9")) == "never-started 1 -\n");
  SUBCASE("just now") {
    CHECK(told(ours(runs + "3 create 1 as coroutine\n 999999 executor_end -")) == "");
  }
  SUBCASE("the program was ending") {
    CHECK(told(ours(runs + "3 create 1 as coroutine\n 4 create 2 as handler\n 19 cancel 2\n"
                           "20 cancel 1")) == "");
  }
  SUBCASE("called and not awaited, as the last thing that the program does") {
    const std::string discarded = "3 create 1 as coroutine\n 4 cancel 1\n";
    CHECK(told(ours(runs + discarded)) == "never-started 1 -\n");
    CHECK(told(ours(discarded)) == "never-started 1 -\n");
    CHECK(told(ours(runs + "3 create 1 as coroutine f\n 3 label 1 x\n 3 label 9 y @1\n"
                           "4 cancel 1")) == "never-started 1 -\n");
    CHECK(told(ours(runs + "3 create 1 as handler f\n 4 cancel 1")) == "");
  }
  SUBCASE("a task without code does not start") {
    CHECK(told(ours(runs + "3 create 1 as promise\n 3 create 2 as scope\n 3 create 3 as task\n"
                           "5000000 executor_end -")) == "");
  }
  SUBCASE("it ran before the ring begins") {
    CHECK(told(ring("10 label 1 x\n 9000000 executor_end -",
                    "-5 suspended 1 on 2 as coroutine\n -6 created 2 under 1 as io")) == "");
    CHECK(told(ring("10 label 1 x\n 9000000 executor_end -", "-5 created 1 as coroutine")) ==
          "never-started 1 -\n");
  }
}

TEST_CASE("handler-never-invoked") {
  const std::string runs = "0 create 9 as coroutine\n 1 resume 9\n 2 create 1 by 9 as handler\n";
  CHECK(told(ours(runs + "5 resolve 9\n 102 executor_end -")) == "handler-never-invoked 1 -\n");
  CHECK(told(ours(runs + "3 cancel 1\n 3 suspend 9\n 5 resume 9\n 6 resolve 9")) ==
        "handler-never-invoked 1 -\n");
  SUBCASE("not yet") { CHECK(told(ours(runs + "5 resolve 9\n 101 executor_end -")) == ""); }
  SUBCASE("it was") {
    CHECK(told(ours(runs + "3 resume 1\n 4 resolve 1\n 5 resolve 9\n 500 executor_end -")) == "");
  }
  SUBCASE("a destroyed loop drops its handlers") {
    CHECK(told(ours(runs + "5 resolve 9\n 9 cancel 1")) == "");
    CHECK(told(ours(runs + "5 resolve 9\n 9 cancel 1"), strict) == "handler-never-invoked 1 -\n");
  }
  SUBCASE("an accept that is closed") {
    const Example e = ours(
        "0 create 9 as coroutine\n 1 resume 9\n 2 create 1 by 9 as io accept\n 3 suspend 9\n"
        "4 cancel 1\n 5 resume 9\n 6 resolve 9");
    CHECK(told(e) == "");
    CHECK(told(e, strict) == "handler-never-invoked 1 -\n");
  }
}

TEST_CASE("suspended-too-long") {
  const std::string begin = R"(
     0 create 1 as coroutine waits
     0 create 2 as coroutine other
     0 resource 1 of 20 as mutex lock
     0 resource 1 of 21 as condition work
     0 resource 1 of 22 as semaphore free
     1 resume 1
  )";
  SUBCASE("for a lock") {
    const std::string waits = begin + "2 acquire 2 of 20\n 3 suspend 1 on 20\n";
    const std::string told_so =
        "release 2 of 20\n 104 notify 20 by 2 =1\n 104 resume 1 by 2\n"
        "105 resolve 1\n 106 resolve 2";
    const Example e = ours(waits + "103 " + told_so);
    CHECK(told(e) == "suspended-too-long 1 20\n");
    const auto found = findings(e.trace, drawn);
    REQUIRE(found[0].evidence.size() == 2);
    CHECK(found[0].evidence[1].what == What::Holds);
    CHECK(e.id(found[0].evidence[1].task) == "2");
    std::string sooner = waits + "101 " + told_so;
    for (size_t at = 0; (at = sooner.find("104 ", at)) != sooner.npos;)
      sooner.replace(at, 3, "102");
    CHECK(told(ours(sooner)) == "");
  }
  SUBCASE("for its turn") {
    const std::string waits = begin +
                              "2 create 3 by 1 as timer\n 3 suspend 1 on 3\n"
                              "4 resume 2\n 10 resolve 3 @1\n";
    const Example e = ours(waits + "110 suspend 2\n 110 resume 1 by 3\n 111 resolve 1");
    CHECK(told(e, {.suspended = 100}) == "suspended-too-long 1 3\n");
    const auto found = findings(e.trace, {.suspended = 100});
    REQUIRE(found[0].evidence.size() == 3);
    CHECK(found[0].evidence[1].what == What::CouldRun);
    CHECK(found[0].evidence[2].what == What::Runs);
    CHECK(e.id(found[0].evidence[2].task) == "2");
    CHECK(found[0].evidence[2].of == 100);
    CHECK(told(ours(waits + "109 suspend 2\n 109 resume 1 by 3\n 111 resolve 1"),
               {.suspended = 100}) == "");
  }
  SUBCASE("for its turn, while another ran now and then") {
    std::string text = begin +
                       "2 create 3 by 1 as timer\n 3 suspend 1 on 3\n"
                       "4 resume 2\n 5 suspend 2\n 10 resolve 3 @1\n";
    for (int i = 0; i < 10; i++) {
      const std::string t = std::to_string(10 + i * 10);
      text += t + " resume 2 by 3\n" + std::to_string(12 + i * 10) + " suspend 2\n";
    }
    const auto found =
        findings(ours(text + "110 resume 1 by 3\n 111 resolve 1").trace, {.suspended = 100});
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].evidence.size() == 3);
    const Finding::Evidence& ran = found[0].evidence[2];
    CHECK(ran.what == What::Runs);
    CHECK(ran.end - ran.begin == 92);
    CHECK(ran.of == 20);
  }
  SUBCASE("for work, a peer, or an unknown target: only when strict") {
    for (const char* what : {"3 suspend 1 on 21", "3 create 3 by 1 as io accept\n 3 suspend 1 on 3",
                             "3 suspend 1", "3 suspend 1 on 22"}) {
      const Example e = ours(begin + what + "\n500 executor_end -");
      CHECK(told(e) == "");
      CHECK(told(e, strict).find("suspended-too-long 1") != std::string::npos);
    }
  }
  SUBCASE("it should have ended") {
    CHECK(told(ours(begin + "2 should_resolve 1\n 3 suspend 1 on 21\n 500 label 2 x")) ==
          "suspended-too-long 1 21\n");
    const Example just_now = ours(begin + "2 should_resolve 1\n 3 suspend 1 on 21\n 4 label 2 x");
    CHECK(told(just_now) == "suspended-too-long 1 21\n");  // the program ended, or hangs
    DoctorOptions running = drawn;
    running.goes_on = true;
    CHECK(told(just_now, running) == "");
    CHECK(told(ours(begin + "3 suspend 1 on 21\n 4 label 2 x")) == "");
  }
  SUBCASE("the holder has ended") {
    const Example e =
        ours(begin + "2 acquire 2 of 20\n 3 suspend 1 on 20\n 4 resolve 2\n 500 label 1 x");
    CHECK(told(e) == "suspended-too-long 1 20\n");
    CHECK(findings(e.trace, drawn)[0].evidence.back().what == What::Ended);
  }
  SUBCASE("what does not end any more needs not have waited for long") {
    DoctorOptions running = drawn;
    running.goes_on = true;
    const std::string expected = begin + "1 should_resolve 1\n";
    for (const std::string& first : {begin, expected})
      for (const DoctorOptions& options : {drawn, running}) {
        // A lock that its holder takes again; that its holder did not give back.
        CHECK(told(ours(first + "2 acquire 1 of 20\n 3 suspend 1 on 20\n 4 label 2 x"), options) ==
              "suspended-too-long 1 20\n");
        CHECK(told(ours(first + "2 acquire 2 of 20\n 3 suspend 1 on 20\n 4 resolve 2"), options) ==
              "suspended-too-long 1 20\n");
      }
    // It may be given back yet.
    const std::string kept = "2 acquire 2 of 20\n 3 suspend 1 on 20\n 4 resume 2";
    CHECK(told(ours(begin + kept)) == "");
    CHECK(told(ours(expected + kept)) == "suspended-too-long 1 20\n");
    CHECK(told(ours(expected + kept), running) == "");
    const std::string again =
        "2 suspend 1 on 21\n 3 notify 21 by 2 =1\n 4 resume 1 by 2\n 5 notify 21 by 2 =0\n"
        "6 suspend 1 on 21\n 7 label 2 x";
    CHECK(told(ours(begin + again)) == "");
    CHECK(told(ours(expected + again)) == "notify-before-wait 1 21\n");
    const std::string promise = "2 create 3 as promise\n 3 resolve 3\n 4 suspend 1 on 3";
    CHECK(told(ours(begin + promise)) == "");
    CHECK(told(ours(expected + promise)) == "notify-before-wait 1 3\n");
    const std::string unstarted = "2 create 3 as coroutine\n 4 suspend 1 on 3";
    CHECK(told(ours(begin + unstarted)) == "");
    CHECK(told(ours(expected + unstarted)) == "never-started 3 -\n");
    const std::string later = "\n 4 resume 2\n 5 suspend 2\n 5000000 label 1 x";
    CHECK(told(ours(expected + unstarted + later)) == "never-started 3 -\n");
    CHECK(told(ours(expected + "2 create 3 by 1 as timer\n 3 suspend 1 on 3\n")) ==
          "operation-pending 3 1\n");
    const std::string turn =
        "2 create 3 by 1 as timer\n 3 suspend 1 on 3\n 4 resolve 3\n"
        "4 resume 2\n 4 suspend 2\n";
    CHECK(told(ours(expected + turn + "1000005 label 2 x"), {}) == "suspended-too-long 1 3\n");
    CHECK(told(ours(expected + turn + "900000 label 2 x"), {}) == "");
    // What waits for nothing that the trace knows of.
    CHECK(told(ours("0 create 1 as promise\n 1 should_resolve 1\n 2 label 1 x")) ==
          "suspended-too-long 1 -\n");
  }
  SUBCASE("a circle") {
    CHECK(told(ours(begin + "3 suspend 1 on 2\n 4 resume 2\n 5 suspend 2 on 1\n 500 label 1 x")) ==
          "suspended-too-long 1 2\n");
  }
}

TEST_CASE("ran-too-long") {
  const std::string begin = "0 create 1 as coroutine\n 0 create 2 as coroutine\n 10 resume 1\n";
  CHECK(told(ours(begin + "110 suspend 1\n 120 resume 2\n 121 resolve 2")) == "ran-too-long 1 -\n");
  CHECK(told(ours(begin + "109 suspend 1\n 120 resume 2\n 121 resolve 2")) == "");
  SUBCASE("with another inside of it, which does not count") {
    const std::string inside = begin + "50 resume 2 by 1\n 80 resolve 2\n 80 resume 1\n";
    CHECK(told(ours(inside + "140 suspend 1\n 150 resume 1\n 151 resolve 1")) ==
          "ran-too-long 1 -\n");
    CHECK(told(ours(inside + "139 suspend 1\n 150 resume 1\n 151 resolve 1")) == "");
  }
  SUBCASE("twice, with a suspension between") {
    CHECK(told(ours(begin + "70 suspend 1\n 70 resume 1 by 2\n 140 suspend 1\n 141 resume 2\n"
                            "142 resolve 2")) == "");
  }
  SUBCASE("it never suspends") {
    CHECK(told(ours(begin + "500 label 1 still")) == "ran-too-long 1 -\n");
  }
  SUBCASE("the program was stopped") {
    CHECK(told(ours(begin + "100 pause - =60\n 160 suspend 1\n 161 resume 2\n 162 resolve 2")) ==
          "");
  }
  SUBCASE("runnable tasks are counted") {
    const Example e = ours(begin +
                           "12 create 5 by 1 as timer\n 13 suspend 1 on 5\n 14 resume 2\n"
                           "20 resolve 5 @1\n 200 resolve 2\n 200 resume 1 by 5\n 201 resolve 1");
    const auto found = findings(e.trace, {.running = 100});
    REQUIRE(found.size() == 1);
    CHECK(found[0].evidence[0].value == 1);
  }
}

TEST_CASE("lock-across-wait") {
  const std::string begin = R"(
     0 create 1 as coroutine holder
     0 create 2 as coroutine other
     0 resource 1 of 20 as mutex lock
     1 resume 1
     2 acquire 1 of 20
     3 create 5 by 1 as io read
     4 suspend 1 on 5
     5 resume 2
  )";
  const auto ends = [&](const std::string& waits, int time) {
    const std::string t = std::to_string(time) + " ";
    return ours(begin + waits + t + "resolve 5\n" + t + "resume 1 by 5\n" + t +
                "release 1 of 20\n" + t + "notify 20 by 1 =1\n" + t + "resolve 1\n" + t +
                "resume 2 by 1\n" + t + "resolve 2");
  };
  const Example e = ends("6 suspend 2 on 20\n", 56);
  CHECK(told(e) == "lock-across-wait 1 20\n");
  CHECK(findings(e.trace, drawn)[0].duration == 50);
  CHECK(told(ends("6 suspend 2 on 20\n", 55)) == "");
  SUBCASE("no task waits for it") {
    CHECK(told(ends("6 suspend 2\n", 90)) == "");
    CHECK(told(ends("6 suspend 2\n", 90), strict) == "lock-across-wait 1 20\n");
  }
  SUBCASE("a semaphore is there to be held") {
    std::string text = begin;
    text.replace(text.find("mutex"), 5, "semaphore");
    CHECK(told(ours(text + "6 suspend 2 on 20\n 90 resolve 5\n 90 resume 1 by 5\n"
                           "90 release 1 of 20\n 90 notify 20 by 1 =1\n 90 resolve 1\n"
                           "90 resume 2 by 1\n 91 resolve 2")) == "");
  }
}

TEST_CASE("operation-pending") {
  const std::string begin = "0 create 1 as coroutine\n 1 resume 1\n";
  const auto pending = [&](const std::string& operation, const std::string& end) {
    return ours(begin + "2 create 3 by 1 as io " + operation + "\n 3 suspend 1 on 3\n" + end);
  };
  CHECK(told(pending("socket.async_send", "102 executor_end -")) == "operation-pending 3 1\n");
  CHECK(told(pending("socket.async_send", "101 executor_end -")) == "");
  CHECK(told(pending("acceptor.async_accept", "500 executor_end -")) == "");
  CHECK(told(pending("acceptor.async_accept", "500 should_resolve 1")) ==
        "operation-pending 3 1\n");
  CHECK(told(pending("acceptor.async_accept", "20 executor_end -"), strict) ==
        "operation-pending 3 1\n");
  CHECK(told(pending("socket.async_send",
                     "9 resolve 3\n 9 resume 1 by 3\n 10 resolve 1\n"
                     "500 executor_end -")) == "");
}

TEST_CASE("self-wake") {
  const auto wakes = [](int own, int others) {
    std::string text =
        "0 create 1 as coroutine\n 0 create 2 as coroutine\n 1 resume 1\n 1 resume 2 @1\n";
    int time = 2;
    for (int i = 0; i < own + others; i++) {
      text += std::to_string(time++) + " suspend 1\n";
      text += std::to_string(time++) + " resume 1 by " + (i < own ? "1\n" : "2\n");
    }
    return ours(text + "90 resolve 1\n 91 resolve 2 @1");
  };
  CHECK(told(wakes(4, 4)) == "self-wake 1 -\n");
  CHECK(told(wakes(4, 5)) == "");
  CHECK(told(wakes(3, 0)) == "");
  SUBCASE("by a handler that it posts") {
    std::string text = "0 create 1 as coroutine\n 1 resume 1\n";
    for (int i = 0; i < 4; i++) {
      const std::string t = std::to_string(10 * (i + 1)) + " ";
      const std::string handler = std::to_string(100 + i);
      text += t + "suspend 1\n" + t + "create " + handler + " by 1 as handler post\n" + t +
              "await 1 on " + handler + "\n" + t + "resume " + handler + "\n" + t + "resolve " +
              handler + "\n" + t + "resume 1 by " + handler + "\n";
    }
    CHECK(told(ours(text + "90 resolve 1")) == "self-wake 1 -\n");
  }
}

TEST_CASE("counter-only-grows") {
  using Points = std::vector<Model::Counter::Point>;
  const auto level = [](int (*value)(int), int count, uint64_t end) {
    Points points;
    for (int i = 0; i <= count; i++) points.push_back({static_cast<uint64_t>(i) * 10, value(i)});
    return growth(points, end).has_value();
  };
  CHECK(level([](int i) { return i; }, 100, 1000));
  CHECK(level([](int i) { return i + i % 5 * 3; }, 100, 1000));  // up and down, and up
  CHECK(!level([](int i) { return i == 95 ? 0 : i; }, 100, 1000));
  CHECK(!level([](int i) { return i < 60 ? i : 60; }, 100, 1000));
  CHECK(!level([](int i) { return i; }, 100, 2000));  // and no more since
  CHECK(!level([](int i) { return i; }, 19, 190));    // too little is known
  CHECK(level([](int i) { return i; }, 20, 200));
  CHECK(!growth({}, 100));

  const auto counts = [](const std::string& events) {
    std::string text;
    for (int i = 0; i < 100; i++) {
      std::string line = events;
      for (size_t at = 0; (at = line.find('T', at)) != line.npos;)
        line.replace(at, 1, std::to_string(i * 10 + 1));
      for (size_t at = 0; (at = line.find('V', at)) != line.npos;)
        line.replace(at, 1, std::to_string(i));
      text += line;
    }
    return told(ours(text));
  };
  CHECK(counts("T counter_set - =V open\n") == "counter-only-grows - -\n");
  CHECK(counts("T counter_add - =1 sent\n") == "");  // a total
  CHECK(counts("T counter_add - =2 open\n T counter_add - =-1 open\n") ==
        "counter-only-grows - -\n");
  CHECK(counts("T counter_add - =2 open\n T counter_add - =-2 open\n") == "");
}

TEST_CASE("queue-only-grows") {
  // So many are put in, and so many taken out of 100.
  const auto queue = [](int put, int taken) {
    std::string text =
        "0 create 1 as coroutine\n 0 create 2 as coroutine\n"
        "0 resource 1 of 20 as channel jobs\n 1 resume 1\n 1 resume 2 @1\n";
    for (int i = 0; i < 100; i++) {
      const std::string t = std::to_string(10 + i * 10);
      if (i * put % 100 < put) text += t + " notify 20 by 1 =0\n" + t + " ready 1 on 20\n";
      if (i * taken % 100 < taken) text += t + " ready 2 on 20\n";
    }
    return ours(text + "1010 resolve 1\n 1010 resolve 2 @1");
  };
  CHECK(told(queue(100, 50), {}) == "queue-only-grows 20 -\n");
  CHECK(told(queue(100, 100), {}) == "");
  CHECK(told(queue(19, 0), {}) == "");  // of 19 nobody knows
  SUBCASE("a receiver finds nothing, once") {
    Example e = queue(100, 50);
    e.trace.events.append({.time = 1010, .task = 2, .other = 20, .kind = EventKind::Suspend});
    e.trace.events.append({.time = 1020, .task = 2, .kind = EventKind::Resolve});
    CHECK(findings(e.trace).empty());
  }
  SUBCASE("who waits for a lock") {
    std::string text = "0 create 1 as coroutine\n 0 resource 1 of 20 as mutex door\n 1 resume 1\n";
    for (int i = 0; i < 50; i++) {
      const std::string task = std::to_string(100 + i);
      const std::string t = std::to_string(10 + i * 10);
      text += t + " create " + task + " as coroutine\n" + t + " resume " + task + " @1\n" + t +
              " suspend " + task + " on 20 @1\n";
    }
    CHECK(told(ours(text + "520 resolve 1"), {}) == "queue-only-grows 20 -\n");
  }
}

TEST_CASE("of a ring that is complete from some time on, what ended in a packet that is gone") {
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
  CHECK(told(ring(events + later, alive, 1000)) == "");
  SUBCASE("the table lists them as live") {
    const std::string those =
        "1 created 1 as coroutine\n 1 created 2 as handler\n 1 created 3 as io\n"
        "4 suspended 5 on 20\n";
    const std::string found =
        told(ring(events + later, those + alive + "2 resource 20 on 4 as mutex\n", 1000));
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
  CHECK(told(e) == "never-started 100 - x50\nnever-started 8 -\n");
  const auto found = findings(e.trace, drawn);
  CHECK(found[0].total == 50 * found[0].duration);
}

TEST_CASE("only the selected lints") {
  const Example e = ours(
      "0 create 9 as coroutine\n 1 resume 9\n 2 create 1 as coroutine\n 1000 resolve 9\n"
      "9000000 executor_end -");
  CHECK(told(e) == "never-started 1 -\nran-too-long 9 -\n");
  DoctorOptions one = drawn;
  one.lints = 1u << static_cast<unsigned>(Lint::RanTooLong);
  CHECK(told(e, one) == "ran-too-long 9 -\n");
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
  for (uint32_t seed = 1; seed <= 300; seed++) {
    CAPTURE(seed);
    CHECK(findings(RandomProgram(seed, Fault::None).trace).empty());
  }
  for (const Expected& expected : table)
    for (uint32_t seed = 1; seed <= 75; seed++) {
      CAPTURE(name(expected.lint));
      CAPTURE(static_cast<int>(expected.fault));
      CAPTURE(seed);
      const RandomProgram program(seed, expected.fault);
      const Model model = build_model(program.trace, {.simplify = false});
      const std::vector<Finding> found =
          examine(program.trace, model, find_waits(program.trace, model));
      std::set<TaskIndex> concerned;
      for (const Finding& f : found) {
        // Who starves, starves because another runs.
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
  for (uint32_t seed = 1; seed <= 3'000; seed++) {
    const Trace trace = nonsense(seed);
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

TEST_CASE("lock order cycles among many locks are found, all of them, and quickly") {
  // A list that is walked with two locks at a time, and three pairs that are taken in both orders.
  constexpr int length = 20'000;
  std::string text =
      "0 create 1 as coroutine\n0 create 2 as coroutine\n1 resume 1\n1 resume 2 @1\n";
  const auto name = [](int lock) { return std::to_string(1000 + lock); };
  for (int lock = 0; lock <= length + 6; lock++)
    text += "1 resource 1 of " + name(lock) + " as mutex lock" + std::to_string(lock) + "\n";
  int now = 2;
  const auto say = [&](const std::string& what, const std::string& task, const std::string& lock) {
    text += std::to_string(now++) + " " + what + " " + task + " of " + lock + "\n";
  };
  say("acquire", "1", name(0));
  for (int lock = 1; lock <= length; lock++) {
    say("acquire", "1", name(lock));
    say("release", "1", name(lock - 1));
  }
  say("release", "1", name(length));
  for (int pair = 0; pair < 3; pair++)
    for (const bool other_way : {false, true}) {
      const std::string task = other_way ? "2" : "1";
      const std::string first = name(length + 1 + 2 * pair + other_way);
      const std::string second = name(length + 2 + 2 * pair - other_way);
      say("acquire", task, first);
      say("acquire", task, second);
      say("release", task, second);
      say("release", task, first);
    }
  const Example e = ours(text);
  const Waits waits = find_waits(e.trace, e.model);
  CHECK(lock_cycles(e.trace, e.model, waits).size() == 3);
}
