// Lints of waits: wait_lints.cc and diagnosis_lints.cc.
#include <doctest/doctest.h>

#include "trace/ask/doctor/test_findings.h"

using namespace skein;

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
  CHECK(findings_text(e) == "notify-before-wait 1 20\n");
  CHECK(found[0].severity == Finding::Severity::Error);
  CHECK(found[0].begin == 10);
  CHECK(found[0].end == 16);
  REQUIRE(found[0].evidence.size() == 2);
  CHECK(found[0].evidence[0].kind == EvidenceKind::Notified);
  CHECK(e.id(found[0].evidence[0].other) == "2");
  CHECK(found[0].evidence[1].kind == EvidenceKind::Waits);
  CHECK(found[0].evidence[1].end == Waits::never);

  SUBCASE("destroyed while it waited") {
    CHECK(findings_text(example(lost + "\n60 cancel 1")) == "notify-before-wait 1 20\n");
  }
  SUBCASE("notified again, and reported") {
    CHECK(findings_text(example("10 notify 20 by 2 =0\n 16 suspend 1 on 20\n 18 notify 20 by 2 =1\n"
                                "19 resume 1 by 2\n 20 resolve 1")) == "");
  }
  SUBCASE("a semaphore stores notifications") {
    CHECK(findings_text(example("10 notify 21 by 2 =0\n 16 suspend 1 on 21\n 50 executor_end -")) ==
          "");
  }
  SUBCASE("it waits there repeatedly: only when strict") {
    const Example again =
        example("3 suspend 1 on 20\n 5 notify 20 by 2 =1\n 6 resume 1 by 2\n" + lost);
    CHECK(findings_text(again) == "");
    CHECK(findings_text(again, strict).starts_with("notify-before-wait 1 20\n"));
  }
  SUBCASE("a promise that had resolved") {
    const Example promise = ours(R"(
       0 create 1 as coroutine
       0 create 3 as promise
       1 resume 1
       5 resolve 3 by 1
       9 suspend 1 on 3
      1000009 label 1 x
    )");
    CHECK(findings_text(promise) == "notify-before-wait 1 3\n");
    const Example just_now = ours(R"(
       0 create 1 as coroutine
       0 create 3 as promise
       1 resume 1
       5 resolve 3 by 1
       9 suspend 1 on 3
      1000008 label 1 x
    )");
    CHECK(findings_text(just_now) == "");
  }
}

namespace {

const std::string suspended_begin = R"(
     0 create 1 as coroutine waits
     0 create 2 as coroutine other
     0 resource 1 of 20 as mutex lock
     0 resource 1 of 21 as condition work
     0 resource 1 of 22 as semaphore free
     1 resume 1
  )";

}  // namespace

TEST_CASE("suspended-too-long") {
  const std::string& begin = suspended_begin;
  SUBCASE("for a lock") {
    const std::string waits = begin + "2 acquire 2 of 20\n 3 suspend 1 on 20\n";
    const std::string told_so =
        "release 2 of 20\n 104 notify 20 by 2 =1\n 104 resume 1 by 2\n"
        "105 resolve 1\n 106 resolve 2";
    const Example e = ours(waits + "103 " + told_so);
    CHECK(findings_text(e) == "suspended-too-long 1 20\n");
    const auto found = findings(e.trace, drawn);
    REQUIRE(found[0].evidence.size() == 2);
    CHECK(found[0].evidence[1].kind == EvidenceKind::Holds);
    CHECK(e.id(found[0].evidence[1].task) == "2");
    std::string sooner = waits + "101 " + told_so;
    for (size_t at = 0; (at = sooner.find("104 ", at)) != sooner.npos;)
      sooner.replace(at, 3, "102");
    CHECK(findings_text(ours(sooner)) == "");
  }
  SUBCASE("runnable") {
    const std::string waits = begin +
                              "2 create 3 by 1 as timer\n 3 suspend 1 on 3\n"
                              "4 resume 2\n 10 resolve 3 @1\n";
    const Example e = ours(waits + "110 suspend 2\n 110 resume 1 by 3\n 111 resolve 1");
    CHECK(findings_text(e, {.suspended = 100}) == "suspended-too-long 1 3\n");
    const auto found = findings(e.trace, {.suspended = 100});
    REQUIRE(found[0].evidence.size() == 3);
    CHECK(found[0].evidence[1].kind == EvidenceKind::CouldRun);
    CHECK(found[0].evidence[2].kind == EvidenceKind::Runs);
    CHECK(e.id(found[0].evidence[2].task) == "2");
    CHECK(found[0].evidence[2].of == 100);
    CHECK(findings_text(ours(waits + "109 suspend 2\n 109 resume 1 by 3\n 111 resolve 1"),
                        {.suspended = 100}) == "");
  }
  SUBCASE("runnable, while another task ran now and then") {
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
    CHECK(ran.kind == EvidenceKind::Runs);
    CHECK(ran.end - ran.begin == 92);
    CHECK(ran.of == 20);
  }
  SUBCASE("for work, a peer, or an unknown target: only when strict") {
    for (const char* what : {"3 suspend 1 on 21", "3 create 3 by 1 as io accept\n 3 suspend 1 on 3",
                             "3 suspend 1", "3 suspend 1 on 22"}) {
      const Example e = ours(begin + what + "\n500 executor_end -");
      CHECK(findings_text(e) == "");
      CHECK(findings_text(e, strict).find("suspended-too-long 1") != std::string::npos);
    }
  }
}

TEST_CASE("suspended-too-long: waits that cannot end") {
  const std::string& begin = suspended_begin;
  SUBCASE("it is marked should_resolve") {
    CHECK(findings_text(ours(begin + "2 should_resolve 1\n 3 suspend 1 on 21\n 500 label 2 x")) ==
          "suspended-too-long 1 21\n");
    const Example just_now = ours(begin + "2 should_resolve 1\n 3 suspend 1 on 21\n 4 label 2 x");
    CHECK(findings_text(just_now) == "suspended-too-long 1 21\n");  // the program ended or hangs
    DoctorOptions running = drawn;
    running.is_live = true;
    CHECK(findings_text(just_now, running) == "");
    CHECK(findings_text(ours(begin + "3 suspend 1 on 21\n 4 label 2 x")) == "");
  }
  SUBCASE("the holder has ended") {
    const Example e =
        ours(begin + "2 acquire 2 of 20\n 3 suspend 1 on 20\n 4 resolve 2\n 500 label 1 x");
    CHECK(findings_text(e) == "suspended-too-long 1 20\n");
    CHECK(findings(e.trace, drawn)[0].evidence.back().kind == EvidenceKind::Ended);
  }
  SUBCASE("a wait that cannot end need not be long") {
    DoctorOptions running = drawn;
    running.is_live = true;
    const std::string expected = begin + "1 should_resolve 1\n";
    for (const std::string& first : {begin, expected})
      for (const DoctorOptions& options : {drawn, running}) {
        // A lock that its holder acquires again; a lock that its holder did not release.
        CHECK(findings_text(ours(first + "2 acquire 1 of 20\n 3 suspend 1 on 20\n 4 label 2 x"),
                            options) == "suspended-too-long 1 20\n");
        CHECK(findings_text(ours(first + "2 acquire 2 of 20\n 3 suspend 1 on 20\n 4 resolve 2"),
                            options) == "suspended-too-long 1 20\n");
      }
    // It may still be released.
    const std::string kept = "2 acquire 2 of 20\n 3 suspend 1 on 20\n 4 resume 2";
    CHECK(findings_text(ours(begin + kept)) == "");
    CHECK(findings_text(ours(expected + kept)) == "suspended-too-long 1 20\n");
    CHECK(findings_text(ours(expected + kept), running) == "");
    const std::string again =
        "2 suspend 1 on 21\n 3 notify 21 by 2 =1\n 4 resume 1 by 2\n 5 notify 21 by 2 =0\n"
        "6 suspend 1 on 21\n 7 label 2 x";
    CHECK(findings_text(ours(begin + again)) == "");
    CHECK(findings_text(ours(expected + again)) == "notify-before-wait 1 21\n");
    const std::string promise = "2 create 3 as promise\n 3 resolve 3\n 4 suspend 1 on 3";
    CHECK(findings_text(ours(begin + promise)) == "");
    CHECK(findings_text(ours(expected + promise)) == "notify-before-wait 1 3\n");
    const std::string unstarted = "2 create 3 as coroutine\n 4 suspend 1 on 3";
    CHECK(findings_text(ours(begin + unstarted)) == "");
    CHECK(findings_text(ours(expected + unstarted)) == "never-started 3 -\n");
    const std::string later = "\n 4 resume 2\n 5 suspend 2\n 5000000 label 1 x";
    CHECK(findings_text(ours(expected + unstarted + later)) == "never-started 3 -\n");
    CHECK(findings_text(ours(expected + "2 create 3 by 1 as timer\n 3 suspend 1 on 3\n")) ==
          "operation-pending 3 1\n");
    const std::string turn =
        "2 create 3 by 1 as timer\n 3 suspend 1 on 3\n 4 resolve 3\n"
        "4 resume 2\n 4 suspend 2\n";
    CHECK(findings_text(ours(expected + turn + "1000005 label 2 x"), {}) ==
          "suspended-too-long 1 3\n");
    CHECK(findings_text(ours(expected + turn + "900000 label 2 x"), {}) == "");
    // A task without a known wait.
    CHECK(findings_text(ours("0 create 1 as promise\n 1 should_resolve 1\n 2 label 1 x")) ==
          "suspended-too-long 1 -\n");
  }
  SUBCASE("a cycle") {
    CHECK(findings_text(
              ours(begin + "3 suspend 1 on 2\n 4 resume 2\n 5 suspend 2 on 1\n 500 label 1 x")) ==
          "suspended-too-long 1 2\n");
  }
}

TEST_CASE("a task that polls, or is fed quickly from outside any task") {
  const auto polls = [](uint64_t count, uint64_t step, const std::string& end = "") {
    std::string events = "0 create 1 as coroutine wait_for_flag\n 0 resume 1\n";
    for (uint64_t i = 0; i < count; i++)
      events += std::to_string(i * step + 1) + " suspend 1\n" + std::to_string(i * step + 2) +
                " resume 1\n";
    const auto found = findings(ours(events + end).trace, drawn);
    for (const Finding& f : found) CHECK(f.severity == Finding::Severity::Note);
    return found.size();
  };
  CHECK(polls(4, 10) == 1);
  CHECK(polls(3, 10) == 0);
  CHECK(polls(4, 50'000) == 0);
  CHECK(polls(4, 10, "100 resolve 1 by 1") == 0);
  CHECK(polls(4, 10, "200000000 create 9 as scope\n 200000001 resolve 9") == 0);
}

TEST_CASE("two tasks that cancel the timer for which both wait") {
  const auto turns = [](int count, const std::string& expires, const std::string& more = "",
                        const std::string& end = "") {
    std::string events =
        "0 create 1 as coroutine next\n0 create 2 as coroutine next\n"
        "0 resource - of 30 as alarm deadline_timer\n";
    for (int i = 0; i < count; i++) {
      const std::string t = std::to_string(10 * i + 1) + " ", by = std::to_string(1 + i % 2),
                        wait = std::to_string(100 + i);
      events += t + "resume " + by + "\n" + t + "cancel_uses " + by + " of 30\n";
      if (i == count / 2 && !more.empty()) events += t + more + "\n";
      events += t + "about " + by + " of 30\n" + t + "expires " + by + " =" + expires + "\n" + t +
                "create " + wait + " by " + by + " as timer\n" + t + "suspend " + by + " on " +
                wait + "\n";
      if (i != 0) events += t + "fail " + std::to_string(99 + i) + " cancelled\n";
    }
    std::string text;
    for (const Finding& f : findings(ours(events + end).trace, drawn))
      if (f.lint == Lint::SelfWake) {
        CHECK(f.severity == Finding::Severity::Note);
        text += std::to_string(f.duration) + (f.other == no_index ? "" : " with another");
      }
    return text;
  };
  const std::string minute = "60000000000", never = "18446744073709551615";
  CHECK(turns(4, minute) == "4 with another");
  CHECK(turns(3, minute) == "");
  CHECK(turns(4, never) == "");  // a condition: one may hand something to the other
  CHECK(turns(4, minute, "create 9 by 1 as io socket.async_send") == "");
  CHECK(turns(4, minute, "", "200000000 executor_end -") == "");  // it is over
}

TEST_CASE("self-wake: handlers that post each other") {
  const auto posts = [](int count, uint64_t step, const std::string& end = "") {
    std::string text = "0 create 1 as handler post\n";
    for (int i = 1; i <= count; i++) {
      const std::string t = std::to_string(static_cast<uint64_t>(i) * step) + " ";
      const std::string own = std::to_string(i);
      text += t + "resume " + own + "\n";
      if (i < count)
        text += t + "create " + std::to_string(i + 1) + " by " + own + " as handler post\n";
      text += t + "resolve " + own + "\n";
    }
    return ours(text + end);
  };
  CHECK(findings_text(posts(4, 10)) == "self-wake 4 -\n");
  CHECK(findings_text(posts(3, 10)) == "");
  CHECK(findings_text(posts(4, 50'000)) == "");  // pieces of work
  // It has ended.
  const std::string later = "9000000 create 9 as scope\n 9000001 resolve 9";
  CHECK(findings_text(posts(4, 10, later)) == "");
  // Its event loop was destroyed.
  CHECK(findings_text(posts(4, 10, "50 create 5 by 4 as handler post\n 60 cancel 5\n" + later))
            .find("self-wake 5 -\n") != std::string::npos);
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
  CHECK(findings_text(wakes(4, 4)) == "self-wake 1 -\n");
  CHECK(findings_text(wakes(4, 5)) == "");
  CHECK(findings_text(wakes(3, 0)) == "");
  SUBCASE("work that is cut into pieces runs longer between its waits") {
    std::string text = "0 create 1 as coroutine\n 1 resume 1\n";
    for (int i = 1; i < 6; i++) {
      const std::string t = std::to_string(50'000 * i) + " ";
      text += t + "suspend 1\n" + t + "resume 1 by 1\n";
    }
    CHECK(findings_text(ours(text + "300000 resolve 1")) == "");
  }
  SUBCASE("by a handler that it posts") {
    std::string text = "0 create 1 as coroutine\n 1 resume 1\n";
    for (int i = 0; i < 4; i++) {
      const std::string t = std::to_string(10 * (i + 1)) + " ";
      const std::string handler = std::to_string(100 + i);
      text += t + "suspend 1\n" + t + "create " + handler + " by 1 as handler post\n" + t +
              "await 1 on " + handler + "\n" + t + "resume " + handler + "\n" + t + "resolve " +
              handler + "\n" + t + "resume 1 by " + handler + "\n";
    }
    CHECK(findings_text(ours(text + "90 resolve 1")) == "self-wake 1 -\n");
  }
}
