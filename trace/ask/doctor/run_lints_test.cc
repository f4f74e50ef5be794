#include <doctest/doctest.h>

#include "trace/ask/doctor/test_findings.h"

using namespace skein;

static std::string long_runs_of(const Example& e) {
  DoctorOptions only = drawn;
  only.lints = 1u << static_cast<unsigned>(Lint::RanTooLong);
  return findings_text(e, only);
}

TEST_CASE("ran-too-long") {
  const std::string begin =
      "0 create 1 as coroutine\n 0 create 2 as coroutine\n 0 create 3 as handler\n 10 resume 1\n";
  CHECK(long_runs_of(ours(begin + "110 suspend 1\n 120 resume 2\n 121 resolve 2")) ==
        "ran-too-long 1 -\n");
  CHECK(long_runs_of(ours(begin + "109 suspend 1\n 120 resume 2\n 121 resolve 2")) == "");
  SUBCASE("with a run of another task inside it, which does not count") {
    const std::string inside = begin + "50 resume 2 by 1\n 80 resolve 2\n 80 resume 1\n";
    CHECK(long_runs_of(ours(inside + "140 suspend 1\n 150 resume 1\n 151 resolve 1")) ==
          "ran-too-long 1 -\n");
    CHECK(long_runs_of(ours(inside + "139 suspend 1\n 150 resume 1\n 151 resolve 1")) == "");
  }
  SUBCASE("two runs with a suspension between them") {
    CHECK(
        long_runs_of(ours(begin + "70 suspend 1\n 70 resume 1 by 2\n 140 suspend 1\n 141 resume 2\n"
                                  "142 resolve 2")) == "");
  }
  SUBCASE("it never suspends") {
    CHECK(long_runs_of(ours(begin + "500 label 1 still")) == "ran-too-long 1 -\n");
  }
  SUBCASE("the program paused") {
    CHECK(long_runs_of(ours(
              begin + "100 pause - =60\n 160 suspend 1\n 161 resume 2\n 162 resolve 2")) == "");
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

TEST_CASE("ran-too-long on a busy machine is a note") {
  Example e = ours(
      "0 create 1 as coroutine\n 0 create 2 as coroutine\n 10 resume 1\n 300 suspend 1\n"
      "301 resume 2\n 302 resolve 2");
  const auto at = [](uint64_t time, uint64_t cpu, uint32_t blocked, uint32_t preempted) {
    return CpuTimeReading{.time = time, .cpu = cpu, .blocked = blocked, .preempted = preempted};
  };
  const auto found = [&](const CpuTimeReading& after) {
    e.trace.cpu_times = {at(10, 5, 3, 4), after};
    const auto all = findings(e.trace, {.running = 100});
    REQUIRE(all.size() == 1);
    REQUIRE(all[0].cpu);
    return all[0];
  };
  CHECK(found(at(300, 5 + 40, 3, 9)).severity == Finding::Severity::Note);
  CHECK(found(at(300, 5 + 40, 3, 9)).cpu->most == 40);
  CHECK(found(at(300, 5 + 40, 3, 9)).cpu->preempted == 5);
  CHECK(found(at(300, 5 + 200, 3, 9)).severity == Finding::Severity::Warning);  // computed
  CHECK(found(at(300, 5 + 40, 4, 4)).severity == Finding::Severity::Warning);   // was blocked
  CHECK(found(at(300, 5 + 40, 4, 9)).severity == Finding::Severity::Note);      // either
}

TEST_CASE("ran-too-long if another task had to wait for it") {
  const std::string begin = "0 create 1 as coroutine\n 10 resume 1\n";
  const std::string end = "150 suspend 1\n 1500000 resume 1\n 1500001 resolve 1";
  CHECK(long_runs_of(ours(begin + end)) == "");
  SUBCASE("a coroutine that has not started does not wait") {
    CHECK(long_runs_of(ours("0 create 2 by 1 as coroutine\n" + begin + end)) == "");
  }
  SUBCASE("what the task itself created continues with it") {
    CHECK(long_runs_of(ours(begin +
                            "140 create 2 by 1 as timer\n 150 suspend 1 on 2\n"
                            "160 resume 2\n 161 resolve 2\n 162 resume 1\n 163 resolve 1")) == "");
  }
  SUBCASE("a task that waits for an unknown object, and continues directly after") {
    const auto runs = [&](const std::string& within) {
      return long_runs_of(
          ours("0 create 3 as coroutine\n 1 resume 3\n 2 suspend 3\n 0 create 1 as coroutine\n"
               "10 resume 1\n" +
               within + "150 suspend 1\n 151 resume 3\n 152 resolve 3"));
    };
    CHECK(runs("") == "ran-too-long 1 -\n");
    // The task runs an event loop, which would have resumed it.
    CHECK(runs("20 resume 3 by 1\n 21 suspend 3\n 21 switch_to 1\n") == "");
  }
  SUBCASE("a handler that runs next") {
    CHECK(long_runs_of(ours("0 create 2 as handler\n" + begin +
                            "150 suspend 1\n 151 resume 2\n 152 resolve 2\n 153 resume 1\n"
                            "154 resolve 1")) == "ran-too-long 1 -\n");
  }
}

TEST_CASE("ran-too-long of a run that lasts at the end") {
  // 1 has served others before; a receive (3) is pending.
  const std::string loop =
      "0 create 2 as io socket.async_receive\n 0 create 3 as io socket.async_receive\n"
      "1 resume 2\n 2 create 1 as io socket.async_receive\n 3 resolve 2\n 4 resume 1\n";
  const auto severities = [&](const std::string& events, uint64_t until) {
    const Example e = ours(events);
    const Model model = build_model(e.trace, {.simplify = false, .until = until});
    std::string out;
    for (const Finding& f : examine(e.trace, model, find_waits(e.trace, model), {}))
      if (f.lint == Lint::RanTooLong) out += name(f.severity);
    return out;
  };
  constexpr uint64_t second = 1'000'000'000;
  CHECK(severities(loop, 2 * second) == "warning");
  CHECK(severities(loop, second / 2) == "");  // nothing shows that it delays something
  SUBCASE("nothing is pending") {
    CHECK(severities(loop + "4 resolve 3 by 1\n", 2 * second) == "note");
  }
  SUBCASE("another thread may run the others") {
    CHECK(severities("0 create 9 as coroutine\n 0 resume 9 @1\n 1 resolve 9 @1\n" + loop,
                     2 * second) == "note");
  }
  SUBCASE("the only task of its thread") {
    CHECK(
        severities("0 create 3 as io socket.async_receive\n 0 create 1 as coroutine\n 1 resume 1\n",
                   2 * second) == "note");
  }
  SUBCASE("the pending operation may have been started since") {
    CHECK(severities("0 create 2 as io socket.async_receive\n 1 resume 2\n 3 resolve 2\n"
                     "4 create 1 as coroutine\n 4 resume 1\n 1500000000 create 3 by 1 as io read\n",
                     2 * second) == "note");
  }
}

TEST_CASE("ran-too-long of a run that lasts while data has come") {
  // The sockets 30 and 31 are the ends of one connection. 1 sends 6 bytes and runs on.
  Example e = ours(R"(
      0 create 1 as coroutine
      0 resource 1 of 30 as socket
      0 resource 1 of 31 as socket
      1 about 1 of 31
      1 create 2 by 1 as io socket.async_receive
      2 about 1 of 30
      2 create 3 by 1 as io socket.async_send
      2 resume 3
      2 io 3 of 3 =6
      2 resolve 3
      3 create 4 as coroutine
      3 resume 4 @1
      4 resume 1
      4 resolve 4 @1
  )");
  const auto is_found = [&](const char* first, const char* second) {
    Trace& trace = e.trace;
    Model model = build_model(trace, {.simplify = false, .until = 200'000'000});
    model.objects[0].connection = trace.strings.intern(first);
    model.objects[1].connection = trace.strings.intern(second);
    return !examine(trace, model, find_waits(trace, model), {.lints = 1u << 6}).empty();
  };
  static_assert(static_cast<unsigned>(Lint::RanTooLong) == 6);
  CHECK(is_found("127.0.0.1:1 > 127.0.0.1:2 (tcp)", "127.0.0.1:2 > 127.0.0.1:1 (tcp)"));
  CHECK(!is_found("127.0.0.1:1 > 127.0.0.1:2 (tcp)", "127.0.0.1:3 > 127.0.0.1:1 (tcp)"));
}
