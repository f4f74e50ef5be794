#include <doctest/doctest.h>

#include "trace/ask/doctor/test_findings.h"

using namespace skein;

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
  CHECK(findings_text(ours(begin + "20 cancel 2\n" + end)) == "destroyed-unresolved 2 1\n");
  CHECK(findings_text(ours(begin + "10 should_resolve 2\n 20 cancel 2\n 21 cancel 1\n" + end)) ==
        "destroyed-unresolved 2 -\n");
  SUBCASE("while it holds a lock") {
    CHECK(findings_text(ours(begin +
                             "0 resource 1 of 20 as mutex m\n 10 acquire 2 of 20\n 20 cancel 2\n"
                             "21 cancel 1\n" +
                             end)) == "destroyed-unresolved 2 -\n");
    CHECK(findings_text(
              ours(begin +
                   "0 resource 1 of 20 as mutex m\n 10 acquire 2 of 20\n 12 release 2 of 20\n"
                   "20 cancel 2\n 21 cancel 1\n" +
                   end)) == "");
  }
  SUBCASE("no task depends on it") {
    const Example both = ours(begin + "20 cancel 2\n 21 cancel 1\n" + end);
    CHECK(findings_text(both) == "");
    CHECK(findings_text(both, strict) == "destroyed-unresolved 1 -\ndestroyed-unresolved 2 -\n");
  }
  SUBCASE("the waiter was notified") {
    CHECK(findings_text(ours(begin + "20 cancel 2\n 21 resume 1 by 2\n 22 resolve 1\n" + end)) ==
          "");
  }
}

TEST_CASE("never-started") {
  const std::string runs = "0 create 9 as coroutine\n 1 resume 9\n 2 resolve 9\n";
  CHECK(findings_text(ours(runs + "3 create 1 as coroutine\n 5000000 executor_end -")) ==
        "never-started 1 -\n");
  CHECK(findings_text(ours("0 create 1 as coroutine\n 10 cancel 1\n 11 create 9 as coroutine\n"
                           "12 resume 9\n 13 resolve 9")) == "never-started 1 -\n");
  SUBCASE("created just now") {
    CHECK(findings_text(ours(runs + "3 create 1 as coroutine\n 999999 executor_end -")) == "");
  }
  SUBCASE("the program was exiting") {
    CHECK(
        findings_text(ours(runs + "3 create 1 as coroutine\n 4 create 2 as handler\n 19 cancel 2\n"
                                  "20 cancel 1")) == "");
  }
  SUBCASE("the program was about to exit when its creator destroyed it") {
    const std::string creator =
        "3 create 1 as coroutine\n 3 resume 1\n 4 create 2 by 1 as coroutine f\n";
    const Example e = ours(creator + "5 label 1 x\n 6 cancel 2 by 1\n 7 resolve 1 by 1");
    CHECK(findings_text(e) == "never-started 2 -\n");
    CHECK(findings(e.trace, drawn).front().severity == Finding::Severity::Note);
    CHECK(findings_text(ours(creator + "5 label 1 x\n 6 resolve 1 by 1\n 7 cancel 2")) == "");
  }
  SUBCASE("it may wait in a queue") {
    const auto severity = [&](const std::string& before, const std::string& then) {
      const Example e = ours("0 create 7 as coroutine\n 1 resume 7\n 2 suspend 7\n" + before +
                             "3 create 1 as coroutine\n" + then);
      CHECK(findings_text(e) == "never-started 1 -\n");
      return findings(e.trace, drawn).front().severity;
    };
    using enum Finding::Severity;
    CHECK(severity("", "90000000 executor_end -") == Note);
    CHECK(severity("", "300000000 executor_end -") == Warning);
    const std::string ahead = "2 create 8 as coroutine\n";
    const std::string served = "200000000 resume 8\n 200000001 suspend 8\n";
    CHECK(severity(ahead, served + "290000000 executor_end -") == Note);
    CHECK(severity(ahead, served + "400000000 executor_end -") == Warning);
    // A task that was created later, or is resumed, is not ahead of it.
    CHECK(severity("", "4 create 8 as coroutine\n" + served + "290000000 executor_end -") ==
          Warning);
    CHECK(severity("", "200000000 resume 7\n 200000001 suspend 7\n 290000000 executor_end -") ==
          Warning);
  }
  SUBCASE("called and not awaited, as the last action of the program") {
    const std::string discarded = "3 create 1 as coroutine\n 4 cancel 1\n";
    CHECK(findings_text(ours(runs + discarded)) == "never-started 1 -\n");
    CHECK(findings_text(ours(discarded)) == "never-started 1 -\n");
    CHECK(findings_text(ours(runs + "3 create 1 as coroutine f\n 3 label 1 x\n 3 label 9 y @1\n"
                                    "4 cancel 1")) == "never-started 1 -\n");
    CHECK(findings_text(ours(runs + "3 create 1 as handler f\n 4 cancel 1")) == "");
  }
  SUBCASE("a task without code does not start") {
    CHECK(findings_text(ours(runs +
                             "3 create 1 as promise\n 3 create 2 as scope\n 3 create 3 as task\n"
                             "5000000 executor_end -")) == "");
  }
  SUBCASE("it ran before the ring begins") {
    CHECK(findings_text(ring("10 label 1 x\n 9000000 executor_end -",
                             "-5 suspended 1 on 2 as coroutine\n -6 created 2 under 1 as io")) ==
          "");
    CHECK(findings_text(ring("10 label 1 x\n 9000000 executor_end -",
                             "-5 created 1 as coroutine")) == "never-started 1 -\n");
  }
}

TEST_CASE("never-started: several were kept in case they are needed") {
  const auto severity = [](int count) {
    std::string events = "0 create 1 as coroutine run\n 0 resume 1\n";
    for (int k = 0; k < count; k++) {
      const std::string id = std::to_string(10 + k), t = std::to_string(10 * k + 1) + " ";
      events += t + "create " + id + " by 1 as coroutine fallback\n" + std::to_string(10 * k + 2) +
                " suspend 1\n" + std::to_string(10 * k + 6) + " resume 1\n" +
                std::to_string(10 * k + 7) + " cancel " + id + " by 1\n";
    }
    const Example e = ours(events +
                           "900 resolve 1 by 1\n 950 create 9 as coroutine\n 950 resume 9\n"
                           "999 resolve 9");
    return findings(e.trace, drawn).front().severity;
  };
  CHECK(severity(1) == Finding::Severity::Warning);
  CHECK(severity(3) == Finding::Severity::Note);
}

TEST_CASE("never-started: a generator is used if its values are") {
  const auto unused = [](const std::string& kind, const DoctorOptions& options = drawn) {
    return findings_text(ours("0 create 1 as coroutine\n 0 resume 1\n 1 create 2 by 1 as " + kind +
                              "\n 2 create 3 by 1 as thing\n 9000000 cancel 2\n 9000001 resolve 1"),
                         options);
  };
  CHECK(unused("coroutine") == "never-started 2 -\n");
  CHECK(unused("generator") == "");
  CHECK(unused("generator", strict).starts_with("never-started 2 -\n"));
}

TEST_CASE("handler-never-invoked") {
  const std::string runs = "0 create 9 as coroutine\n 1 resume 9\n 2 create 1 by 9 as handler\n";
  CHECK(findings_text(ours(runs + "5 resolve 9\n 102 executor_end -")) ==
        "handler-never-invoked 1 -\n");
  CHECK(findings_text(ours(runs + "3 cancel 1\n 3 suspend 9\n 5 resume 9\n 6 resolve 9")) ==
        "handler-never-invoked 1 -\n");
  SUBCASE("a library posted it when its event loop was destroyed") {
    const std::string later = "0 create 9 as coroutine\n 1 resume 9\n 2 create 1 as handler";
    const std::string end = "\n 3 cancel 1\n 3 suspend 9\n 5 resume 9\n 6 resolve 9";
    CHECK(findings_text(ours(later + end)) == "");
    CHECK(findings_text(ours(later + " at 1" + end)) == "handler-never-invoked 1 -\n");
  }
  SUBCASE("not long ago") {
    CHECK(findings_text(ours(runs + "5 resolve 9\n 101 executor_end -")) == "");
  }
  SUBCASE("it was invoked") {
    CHECK(findings_text(
              ours(runs + "3 resume 1\n 4 resolve 1\n 5 resolve 9\n 500 executor_end -")) == "");
  }
  SUBCASE("a destroyed event loop drops its handlers") {
    CHECK(findings_text(ours(runs + "5 resolve 9\n 9 cancel 1")) == "");
    CHECK(findings_text(ours(runs + "5 resolve 9\n 9 cancel 1"), strict) ==
          "handler-never-invoked 1 -\n");
  }
  SUBCASE("an accept that is closed") {
    const Example e = ours(
        "0 create 9 as coroutine\n 1 resume 9\n 2 create 1 by 9 as io accept\n 3 suspend 9\n"
        "4 cancel 1\n 5 resume 9\n 6 resolve 9");
    CHECK(findings_text(e) == "");
    CHECK(findings_text(e, strict) == "handler-never-invoked 1 -\n");
  }
}

TEST_CASE("operation-pending") {
  const std::string begin = "0 create 1 as coroutine\n 1 resume 1\n";
  const auto pending = [&](const std::string& operation, const std::string& end) {
    return ours(begin + "2 create 3 by 1 as io " + operation + "\n 3 suspend 1 on 3\n" + end);
  };
  CHECK(findings_text(pending("socket.async_send", "102 executor_end -")) ==
        "operation-pending 3 1\n");
  CHECK(findings_text(pending("socket.async_send", "101 executor_end -")) == "");
  CHECK(findings_text(pending("acceptor.async_accept", "500 executor_end -")) == "");
  CHECK(findings_text(pending("acceptor.async_accept", "500 should_resolve 1")) ==
        "operation-pending 3 1\n");
  CHECK(findings_text(pending("acceptor.async_accept", "20 executor_end -"), strict) ==
        "operation-pending 3 1\n");
  CHECK(findings_text(pending("socket.async_send",
                              "9 resolve 3\n 9 resume 1 by 3\n 10 resolve 1\n"
                              "500 executor_end -")) == "");
}

TEST_CASE("never-started: a list of lazy tasks, of which the program starts as many as it needs") {
  const std::string end = "9000000 create 9 as coroutine\n 9000001 resume 9\n 9000002 resolve 9\n";
  const std::string list =
      "0 create 5 as coroutine main\n 0 resume 5\n 1 create 1 by 5 as coroutine page\n"
      "2 create 2 by 5 as coroutine page\n";
  const std::string destroyed = "20 cancel 2 by 5\n 21 resolve 5\n";
  CHECK(findings_text(ours(list + "10 resume 1\n 11 resolve 1\n" + destroyed + end)) == "");
  CHECK(findings_text(ours(list + destroyed + "30 cancel 1\n" + end)) !=
        "");  // none of them started
}
