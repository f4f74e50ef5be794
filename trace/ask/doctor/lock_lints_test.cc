#include <doctest/doctest.h>

#include "trace/ask/doctor/lock_order.h"
#include "trace/ask/doctor/test_findings.h"

using namespace skein;

TEST_CASE("lock-order-cycle") {
  // One task after the other, never at the same time.
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
  CHECK(findings_text(example(takes(10, "1", {"20", "21"}) + takes(20, "2", {"21", "20"}))) ==
        "lock-order-cycle 20 21\n");
  SUBCASE("the edges have locations and times") {
    const Example e = example(takes(10, "1", {"20", "21"}) + takes(20, "2", {"21", "20"}));
    const auto found = findings(e.trace, drawn);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Finding::Severity::Warning);
    std::string edges;
    for (const auto& edge : found[0].evidence)
      edges += e.id(edge.task) + (edge.kind == EvidenceKind::Holds ? " holds " : " takes ") +
               e.id(edge.other) + " " + std::to_string(edge.begin) + "; ";
    CHECK(edges == "1 holds 20 10; 1 takes 21 11; 2 holds 21 20; 2 takes 20 21; ");
  }
  SUBCASE("through a third lock") {
    CHECK(findings_text(example(takes(10, "1", {"20", "21"}) + takes(20, "2", {"21", "22"}) +
                                takes(30, "3", {"22", "20"}))) == "lock-order-cycle 20 21\n");
  }
  SUBCASE("always in the same order") {
    CHECK(findings_text(example(takes(10, "1", {"20", "21", "22"}) + takes(20, "2", {"20", "22"}) +
                                takes(30, "3", {"21", "22"}))) == "");
  }
  SUBCASE("one task cannot wait for itself") {
    CHECK(findings_text(example(takes(10, "1", {"20", "21"}) + takes(20, "1", {"21", "20"}))) ==
          "");
  }
  SUBCASE("with a third lock that both acquire first") {
    CHECK(findings_text(example(takes(10, "1", {"22", "20", "21"}) +
                                takes(20, "2", {"22", "21", "20"}))) == "");
    CHECK(findings_text(example(takes(10, "1", {"22", "20", "21"}) +
                                takes(20, "2", {"22", "21", "20"}) +
                                takes(40, "3", {"20", "21"}))) == "lock-order-cycle 20 21\n");
  }
  SUBCASE("the first was released") {
    CHECK(findings_text(example(takes(10, "1", {"20"}) + takes(12, "1", {"21"}) +
                                takes(20, "2", {"21", "20"}))) == "");
  }
  SUBCASE("it has deadlocked") {
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
    CHECK(found[0].severity == Finding::Severity::Error);
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
  CHECK(findings_text(e) == "lock-across-wait 1 20\n");
  CHECK(findings(e.trace, drawn)[0].duration == 50);
  CHECK(findings_text(ends("6 suspend 2 on 20\n", 55)) == "");
  SUBCASE("no task waits for it") {
    CHECK(findings_text(ends("6 suspend 2\n", 90)) == "");
    CHECK(findings_text(ends("6 suspend 2\n", 90), strict) == "lock-across-wait 1 20\n");
  }
  SUBCASE("a semaphore is meant to be held") {
    std::string text = begin;
    text.replace(text.find("mutex"), 5, "semaphore");
    CHECK(findings_text(ours(text + "6 suspend 2 on 20\n 90 resolve 5\n 90 resume 1 by 5\n"
                                    "90 release 1 of 20\n 90 notify 20 by 1 =1\n 90 resolve 1\n"
                                    "90 resume 2 by 1\n 91 resolve 2")) == "");
  }
}

TEST_CASE("all lock order cycles among many locks are found, and quickly") {
  // A list that is traversed with two locks at a time, and three pairs that are locked in both
  // orders.
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
