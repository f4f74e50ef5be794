#include "report/why.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "report/explain.h"
#include "trace/model/example.h"

using namespace skein;

namespace {

std::string report_of(const Example& e) {
  const Waits waits = find_waits(e.trace, e.model);
  return why_text({e.trace, e.model, waits}, {.diagnoses = diagnose_all(e.trace, e.model, waits)});
}

// A lost wake-up: 1 waits for the condition 20 from 16 on, which 2 notifies at 10.
const char* const lost_wakeup = R"(
     0 create 1 as coroutine query
     0 create 2 as coroutine network
     0 resource 1 of 20 as condition answered
     1 resume 1
     9 resume 2
    10 notify 20 by 2 =0
    11 resolve 2 by 2
    16 suspend 1 on 20 =1
    20 executor_end -
)";

// Each paragraph in one line.
std::string unwrapped(std::string text) {
  for (size_t at = 0; (at = text.find("\n  ", at)) != text.npos;) text.replace(at, 3, " ");
  return text;
}

}  // namespace

TEST_CASE("no stuck tasks") {
  CHECK(report_of(ours("0 executor_end -")) == "No stuck tasks found.\n");
}

TEST_CASE("a program that goes on although nothing is pending") {
  Example e = ours("0 create 1 as handler post\n 5 resume 1\n 9 resolve 1 by 1\n");
  const auto text = [&](uint64_t ended) {
    e.trace.info.ended = ended;
    e.model = build_model(e.trace);
    return report_of(e);
  };
  CHECK(text(900'000'000) == "No stuck tasks found.\n");
  CHECK(text(1'200'000'009) ==
        "No stuck tasks found.\n"
        "Nothing is pending either, but the program went on for 1.20 s after its last task. If it "
        "should\nhave ended: its main() does something else, or runs an event loop that a work "
        "guard keeps running.\n");
}

TEST_CASE("a timer that another task moves") {
  std::string events = R"(
     0 create 1 as coroutine watch
     0 create 2 as coroutine feed
     0 resource - of 30 as alarm deadline_timer
     1 resume 1
)";
  int time = 2;
  const auto add = [&](const std::string& event) {
    events += std::to_string(time++) + " " + event + "\n";
  };
  for (int id = 10; id < 14; id++) {
    add("about 1 of 30");
    add("expires 1 =500");
    add("create " + std::to_string(id) + " by 1 as timer");
    add("suspend 1 on " + std::to_string(id));
    if (id == 13) break;
    add("resume 2");
    add("cancel_uses 2 of 30");
    add("suspend 2");
    add("fail " + std::to_string(id) + " by 2 cancelled");
    add("resume 1 by " + std::to_string(id));
  }
  std::string text = report_of(ours(events));
  std::replace(text.begin(), text.end(), '\n', ' ');
  CAPTURE(text);
  CHECK(text.find("The last 3 waits") != std::string::npos);
  CHECK(text.find("feed (#2) cancelled or moved it") != std::string::npos);
}

TEST_CASE("a timer that was cancelled, and whose wait has not ended") {
  const std::string waits = R"(
     0 create 1 as coroutine watch
     0 create 2 as coroutine feed
     0 resource - of 30 as alarm deadline_timer
     1 resume 1
     2 about 1 of 30
     2 expires 1 =18446744073709551615
     2 create 10 by 1 as timer
     3 suspend 1 on 10
     4 resume 2
)";
  const auto text = [&](const std::string& cancels) {
    std::string report = unwrapped(report_of(ours(waits + cancels + "9 suspend 2\n")));
    std::replace(report.begin(), report.end(), '\n', ' ');
    return report;
  };
  CHECK(text("").find("no task has cancelled it since watch (#1) began to wait.") !=
        std::string::npos);
  const std::string twice = text("5 cancel_uses 2 of 30\n 6 cancel_uses 2 of 30\n");
  CAPTURE(twice);
  CHECK(twice.find("has not ended although it was cancelled 2 times since watch (#1) began to "
                   "wait. The last to cancel it was feed (#2), at") != std::string::npos);
  CHECK(twice.find("no task has cancelled it") == std::string::npos);
}

TEST_CASE("a timer of which cancel_one() has woken another waiter") {
  std::string report = unwrapped(report_of(ours(R"(
     0 create 1 as coroutine first
     0 create 2 as coroutine feed
     0 create 3 as coroutine second
     0 resource - of 30 as alarm deadline_timer
     1 resume 3
     1 about 3 of 30
     1 expires 3 =18446744073709551615
     1 create 11 by 3 as timer
     2 suspend 3 on 11
     2 resume 1
     2 about 1 of 30
     2 expires 1 =18446744073709551615
     3 create 10 by 1 as timer
     3 suspend 1 on 10
     4 resume 2
     5 cancel_uses 2 of 30
     6 cancel 11
     7 resume 3
     8 resolve 3
     9 suspend 2
)")));
  std::replace(report.begin(), report.end(), '\n', ' ');
  CAPTURE(report);
  CHECK(report.find("never expires, and it was cancelled for other waiters only (cancel_one), 1 time "
                    "since first (#1) began to wait.") != std::string::npos);
  CHECK(report.find("strand") == std::string::npos);
}

TEST_CASE("durations that end at the last event are no evidence of a healthy program") {
  Example e = ours(R"(
     0 create 1 as coroutine report
     5 resume 1
     9 label 1 begins
  )");
  const auto text = [&] {
    const Waits waits = find_waits(e.trace, e.model);
    return why_text({e.trace, e.model, waits},
                    {.diagnoses = diagnose_all(e.trace, e.model, waits)});
  };
  CHECK(text().find("does not contain when the program ended") != std::string::npos);
  e.trace.info.ended = 200'000'000;
  e.model = build_model(e.trace);
  CHECK(text().find("does not contain when the program ended") == std::string::npos);
  CHECK(text().find("has run 200 ms without a suspension: it is busy or blocked in a call.") !=
        std::string::npos);
}

TEST_CASE("the row of a running task has the place after which it runs, as the text") {
  Example e = ours(R"(
     0 create 1 as coroutine report
     1 resume 1
     2 suspend 1
     5 resume 1
     9 label 1 report
  )");
  e.trace.info.ended = 200'000'000;
  e.model = build_model(e.trace);
  const StringId file = e.trace.strings.intern("report.cc");
  e.trace.locations.push_back({.file = file, .line = 70});  // the closing brace
  e.trace.locations.push_back({.file = file, .line = 60});
  const auto count = static_cast<uint32_t>(e.trace.locations.size());
  e.model.tasks[0].location = count - 2;
  Waits waits = find_waits(e.trace, e.model);
  REQUIRE(waits.waits.size() == 1);
  waits.waits[0].location = count - 1;
  const std::string text =
      why_text({e.trace, e.model, waits}, {.diagnoses = diagnose_all(e.trace, e.model, waits)});
  CAPTURE(text);
  CHECK(text.find("report (#1)  runs  for 200 ms  after report.cc:60\n  report (#1) (after "
                  "report.cc:60) has "
                  "run 200 ms") != std::string::npos);
  CHECK(text.find("report.cc:70") == std::string::npos);
}

TEST_CASE("a running task of a live process: what its thread does") {
  Example e = ours(R"(
     0 create 1 as coroutine report
     5 resume 1
     9 label 1 begins
  )");
  e.model = build_model(e.trace, {.until = 300'000'000});
  const Waits waits = find_waits(e.trace, e.model);
  std::vector<Diagnosis> found = diagnose_all(e.trace, e.model, waits);
  REQUIRE(found.size() == 1);
  found[0].thread_state = "sleeps (hrtimer_nanosleep)";
  CHECK(why_text({e.trace, e.model, waits}, {.diagnoses = found})
            .find("without a suspension. Its thread sleeps (hrtimer_nanosleep).") !=
        std::string::npos);
}

TEST_CASE("a socket whose chain of handlers was not continued") {
  const Example e = ours(R"(
     0 resource - of 90 as socket socket
     0 about - of 90
     1 create 1 as io receive
     2 resume 1
     3 about - of 90
     4 create 2 by 1 as io receive
     5 resolve 1 by 1
     6 resume 2
     7 resolve 2 by 2
  )");
  const Waits waits = find_waits(e.trace, e.model);
  const Subject subject{e.trace, e.model, waits};
  CHECK(why_text(subject, {.diagnoses = diagnose_all(e.trace, e.model, waits),
                           .chains = broken_chains(subject)}) ==
        "No stuck tasks found.\n"
        "\n"
        "Open sockets that no operation uses, by their last operation:\n"
        "\n"
        "  receive (#2)  ended at 0.000000007 s    1 other went on\n"
        "  The handler of this operation started nothing, and handlers of the same place did "
        "before. If the\n"
        "  session should go on, a branch of the handler does not continue it.\n");
}

TEST_CASE("tasks that the end of the program destroyed while they waited") {
  const Example e = ours(R"(
     0 create 1 as coroutine session
     0 resume 1
     2 create 2 by 1 as io receive
     3 suspend 1 on 2
     9 cancel 2 by -
    10 cancel 1 by -
  )");
  const Waits waits = find_waits(e.trace, e.model);
  const Subject subject{e.trace, e.model, waits};
  CHECK(why_text(subject, {.diagnoses = diagnose_all(e.trace, e.model, waits),
                           .destroyed = torn_down(subject)}) ==
        "No stuck tasks found.\n"
        "\n"
        "Destroyed at the end of the program while they waited:\n"
        "\n"
        "  session (#1)  waited for receive (#2)  for 7 ns\n");
}

TEST_CASE("a lost wake-up: verdict, chain and explanation") {
  const std::string text = report_of(ours(lost_wakeup));
  CHECK(
      text ==
      "query (#1): lost wake-up\n"
      "  query (#1)                waits for condition answered (#20)  for 4 ns\n"
      "  condition answered (#20)  has existed                         for 20 ns\n"
      "  condition answered (#20) was notified at 0.000000010 s by network (#2), when no task was "
      "waiting.\n"
      "  query (#1) began to wait at 0.000000016 s, 6 ns later. The notification was not stored, "
      "and none\n"
      "  followed.\n");
}

TEST_CASE("a task that never started was created some time ago") {
  const std::string text =
      report_of(ours("0 create 1 as coroutine query\n 9000000 executor_end -"));
  CHECK(text.find("query (#1)  was created  9.00 ms ago\n") != std::string::npos);
  CHECK(text.find("query (#1) was created at 0.000000000 s but never started.") !=
        std::string::npos);
}

TEST_CASE("pending tasks have a heading, and usual ones a line") {
  const std::string text = report_of(ours(R"(
     0 create 1 as coroutine server
     0 create 2 as coroutine server
     0 create 3 as coroutine listen
     0 resource 1 of 20 as condition work
     1 resume 1
     2 suspend 1 on 20 =1
     2 resume 2
     3 suspend 2 on 20 =1
     3 resume 3
     4 create 4 by 3 as io socket.async_accept
     5 suspend 3 on 4
     900000000 executor_end -
  )"));
  CHECK(
      text.starts_with("May be wrong, or as intended:\n\nserver (#1): never notified (and 1 similar)\n"));
  CAPTURE(text);
  CHECK(text.find(
      "\nProbably as intended:\n\n"
      "  listen (#3)  waits for socket.async_accept (#4)  for 900 ms\n\n"
      "The trace does not contain") != std::string::npos);
  CHECK(report_of(ours(lost_wakeup)).find("intended") == std::string::npos);
}

TEST_CASE("a step lasts since its state began, not since its task was created") {
  const std::string text = report_of(ours(R"(
           0 create 1 as coroutine server
     1000000 resume 1
     3000000 suspend 1
     9000000 executor_end -
  )"));
  CHECK(text.find("server (#1)  waits for an unrecorded target  for 6.00 ms\n") !=
        std::string::npos);
  const std::string starved = report_of(ours(R"(
           0 create 1 as coroutine server
           0 resource 1 of 20 as condition work
     1000000 resume 1
     3000000 suspend 1 on 20 =1
     5000000 notify 20 =1
     9000000 executor_end -
  )"));
  CHECK(starved.find("server (#1)  is runnable  for 4.00 ms\n") != std::string::npos);
}

TEST_CASE("a trace of another tracer gets no advice about skein's headers") {
  Example e = ours("0 create 1 as coroutine server\n1 resume 1\n2 suspend 1\n9 executor_end -");
  CHECK(report_of(e).find("skein_awaits()") != std::string::npos);
  e.trace.info.format = "FXT";
  CHECK(report_of(e).find("skein") == std::string::npos);
  CHECK(report_of(e).find("does not record what server (#1) waits for.") != std::string::npos);
}

TEST_CASE("JSON has tasks, targets and the notification as objects") {
  const Example e = ours(lost_wakeup);
  const Waits waits = find_waits(e.trace, e.model);
  const std::string text =
      why_json({e.trace, e.model, waits}, {.diagnoses = diagnose_all(e.trace, e.model, waits)})
          .text();
  CHECK(text.starts_with("{\n  \"schema\": \"skein.why/1\",\n  \"diagnoses\": [\n"));
  for (const char* part : {"\"verdict\": \"lost wake-up\"", "\"error\": true", "\"similar\": 0",
                           "\"state\": \"suspended\"", "\"id\": 20", "\"name\": \"network\"",
                           "\"blocker\": null", "\"since_ns\": 16"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("tasks are separate runs, for views that link them") {
  const Example e = ours(lost_wakeup);
  const Waits waits = find_waits(e.trace, e.model);
  const Subject subject{e.trace, e.model, waits};
  const std::vector<Diagnosis> all = diagnose_all(e.trace, e.model, waits);
  REQUIRE(all.size() == 1);
  std::string tasks;
  for (const TextRun& run : explain(subject, all[0]))
    if (run.kind == TextRun::Kind::Task) tasks += e.id(static_cast<TaskIndex>(run.value)) + " ";
  CHECK(tasks == "20 2 1 ");
}

TEST_CASE("a running program has no end that the trace could contain") {
  const Example e =
      ours("0 create 1 as coroutine server\n1 resume 1\n2 suspend 1\n9 executor_end -");
  const Waits waits = find_waits(e.trace, e.model);
  const Subject subject{e.trace, e.model, waits};
  WhyFindings found{.diagnoses = diagnose_all(e.trace, e.model, waits)};
  CHECK(why_text(subject, found).find("when the program ended") != std::string::npos);
  found.is_live = true;
  CHECK(why_text(subject, found).find("when the program ended") == std::string::npos);
}

TEST_CASE("a channel to which no task sends") {
  const std::string text = report_of(ours(R"(
     0 create 1 as coroutine producer
     0 create 2 as coroutine consumer
     1 resource 2 of 30 as async_channel channel
     2 resume 1
     3 about 1 of 30
     3 create 3 by 1 as io channel.async_send
     4 resolve 3
     5 resolve 1
     6 resume 2
     7 about 2 of 30
     7 create 4 by 2 as io channel.async_receive
     8 suspend 2 on 4
  1000 executor_end -
  )"));
  CHECK(unwrapped(text).find("sends to the channel. The last async_send to a channel at this address "
                             "was") != std::string::npos);
  CHECK(text.find("it has ended.") != std::string::npos);
}

TEST_CASE("a channel whose receivers all wait to send to it") {
  const auto report = [](const std::string& more) {
    return report_of(
        ours("0 create 1 as coroutine worker\n 0 create 2 as coroutine worker\n"
             "0 resource 1 of 30 as async_channel channel\n"
             "1 resume 1\n 1 about 1 of 30\n"
             "1 create 3 by 1 as io channel.async_receive\n 1 resolve 3\n"
             "2 about 1 of 30\n 2 create 4 by 1 as io channel.async_send\n"
             "2 suspend 1 on 4\n" +
             more + "2000000000 executor_end -\n"));
  };
  const std::string text = report("");
  CHECK(text.starts_with("worker (#1): deadlock\n"));
  CHECK(unwrapped(text).find("Every task that has received from it waits to send to it: 1 task, "
                             "worker (#1).") != std::string::npos);
  // Another task has received as well, and does not wait for the channel.
  CHECK(report("3 resume 2\n 3 about 2 of 30\n 3 create 5 by 2 as io channel.async_receive\n"
               "3 resolve 5\n 3 create 6 by 2 as timer\n 3 suspend 2 on 6\n")
            .find("deadlock") == std::string::npos);
  // It waits to receive.
  CHECK(report("3 resume 2\n 3 about 2 of 30\n 3 create 5 by 2 as io channel.async_receive\n"
               "3 suspend 2 on 5\n")
            .find("deadlock") == std::string::npos);
}

TEST_CASE("a handler whose strand runs another one") {
  const std::string text = unwrapped(report_of(ours(R"(
     0 resource - of 30 as strand strand
     1 about - of 30
     1 create 3 as handler strand_executor.execute
     2 about - of 30
     2 create 4 as handler strand_executor.execute
     3 resume 3
  500000000 label 3 busy @1
  )")));
  CHECK(text.find("Its strand runs busy (#3)") != std::string::npos);
}

TEST_CASE("two objects of a library that two tasks awaited in opposite order") {
  const auto text_of = [](const char* name) {
    Example e = ours(R"(
     0 create 1 as coroutine first
     0 create 2 as coroutine second
     1 resume 1
     2 ready 1
     3 suspend 1
     4 resume 2
     5 ready 2
     6 suspend 2
     7 resume 1
     8 suspend 1
     9 resume 2
    10 suspend 2
    )");
    const StringId type = e.trace.strings.intern(name);
    for (size_t i = 0; i < e.trace.events.size(); i++) {
      const uint64_t time = e.trace.events.row(i).time;
      if (time == 2 || time == 10) e.trace.awaited_objects.push_back({i, 0xa0, type});
      if (time == 5 || time == 8) e.trace.awaited_objects.push_back({i, 0xb0, type});
    }
    return report_of(e);
  };
  std::string text = text_of("lib::Mutex::Lock");
  CHECK(text.find("first (#1)  waits for lib::Mutex::Lock 0xb0  ") != std::string::npos);
  text = unwrapped(text);
  CHECK(text.find("first (#1) waits for lib::Mutex::Lock 0xb0. The last task to continue "
                  "there was second (#2), at 0.000000005 s; it waits for lib::Mutex::Lock 0xa0, "
                  "where first "
                  "(#1) "
                  "was the last. If these are locks, this is a deadlock.") != std::string::npos);
  const std::string sleeps = unwrapped(text_of("lib::Timers::Sleep"));
  CHECK(sleeps.find("where first (#1) was the last.") != std::string::npos);
  CHECK(sleeps.find("deadlock") == std::string::npos);
}

TEST_CASE("two tasks that have passed the lock that they wait for") {
  Example e = ours(R"(
     0 create 1 as coroutine touch
     0 create 2 as coroutine touch
     1 resume 1
     2 ready 1 at 1
     3 suspend 1 at 2
     4 resume 2
     5 ready 2 at 1
     6 suspend 2 at 2
  )");
  const StringId type = e.trace.strings.intern("SharedLock");
  for (const size_t i : {size_t{3}, size_t{4}, size_t{6}, size_t{7}})
    e.trace.awaited_objects.push_back({i, 0xa0, type});
  e.model.end = e.trace.info.asleep = 2'000'000'000;
  const std::string text = unwrapped(report_of(e));
  CAPTURE(text);
  CHECK(text.find("touch (#1): deadlock (and 1 similar) ") != std::string::npos);
  CHECK(text.find("touch (#1) has passed it before, at 0.000000002 s, and so has touch (#2), which "
                  "waits, too. Every other task that has passed it has ended. If they have not "
                  "released it since, they wait for each other.") != std::string::npos);
}

TEST_CASE("a condition of two functions that may have woken the wrong task") {
  Example e = ours(R"(
     0 create 1 as coroutine producer
     0 create 2 as coroutine consumer
     1 resume 1
     2 suspend 1 at 1
     3 resume 2
     4 suspend 2 at 2
     5 resume 2
     6 suspend 2 at 2
  )");
  const StringId type = e.trace.strings.intern("Condition::wait(std::mutex&)::Awaiter");
  e.trace.locations[1].function = e.trace.strings.intern("producer");
  e.trace.locations[2].function = e.trace.strings.intern("consumer");
  for (const size_t i : {size_t{3}, size_t{5}, size_t{7}})
    e.trace.awaited_objects.push_back({i, 0xa0, type});
  e.model.end = 2'000'000'000;
  const std::string text = unwrapped(report_of(e));
  CAPTURE(text);
  CHECK(
      text.find("producer (#1) waits for Condition 0xa0 (Condition::wait), with 1 other task. The "
                "last task to continue there was consumer (#2) (consumer), at 0.000000005 s; it "
                "waits for it again, and no task has continued there since. Tasks of another "
                "function wait for it as well (consumer). If it is a condition for both, "
                "notify_one() may have woken the wrong task") != std::string::npos);
  e.model.end = 500'000'000;
  CHECK(report_of(e).find("notify_one") == std::string::npos);
}

TEST_CASE("a call that is woken and waits again") {
  std::string events = R"(
     0 create 1 as coroutine session
     0 create 2 by 1 as coroutine acquire
     0 resource - of 30 as alarm deadline_timer
     1 resume 1
     2 suspend 1 on 2
     3 resume 2
  )";
  for (int i = 0; i < 4; i++) {
    const std::string id = std::to_string(100 + i);
    events += "4 about 2 of 30\n4 expires 2 =-1\n4 create " + id +
              " by 2 as timer\n4 suspend 2 on " + id + " at 1\n";
    if (i < 3) events += "5 resolve " + id + "\n5 resume 2 by " + id + "\n";
  }
  const std::string text = unwrapped(report_of(ours(events)));
  CAPTURE(text);
  CHECK(
      text.find("since acquire (#2) last began to wait. acquire (#2) has been woken 3 times since "
                "session (#1) called it, and waited again each time. If it checks a condition, "
                "that may never hold.") != std::string::npos);
}

TEST_CASE("a task that may wait for those that its awaiter started") {
  std::string text = report_of(ours(R"(
     1 create 3 as coroutine branch
     1 create 5 as coroutine join
     2 resume 5
     3 suspend 5
     4 resume 3
     5 suspend 3
  )"));
  text = unwrapped(text);
  CHECK(text.find("Right after it began to wait, its thread started branch (#3), which has not "
                  "ended: it may wait for it.") != std::string::npos);
}

TEST_CASE("the object that the waiting task was the last to pass, and one that others wait for") {
  Example e = ours(R"(
     0 create 1 as coroutine ticker
     0 create 2 as coroutine guest
     1 resume 1
     2 suspend 1
     3 resume 1
     4 suspend 1
     5 resume 2
     6 suspend 2
  )");
  const StringId type = e.trace.strings.intern("Gate");
  const auto report = [&](uint64_t of_guest) {
    e.trace.awaited_objects.clear();
    for (size_t i = 0; i < e.trace.events.size(); i++) {
      const uint64_t time = e.trace.events.row(i).time;
      if (time == 2 || time == 4) e.trace.awaited_objects.push_back({i, 0xa0, type});
      if (time == 6) e.trace.awaited_objects.push_back({i, of_guest, type});
    }
    return unwrapped(report_of(e));
  };
  const auto has = [](const std::string& text, std::string_view part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(report(0xb0),
      "ticker (#1) waits for Gate 0xa0. It was itself the last task to continue "
      "there, at 0.000000003 s.");
  has(report(0xa0),
      "guest (#2) waits for Gate 0xa0, with 1 other task. The last task to "
      "continue there was ticker (#1), at 0.000000003 s; it waits for it again.");
}

TEST_CASE("a deadlock leads back to the task where the cycle begins") {
  const std::string text = report_of(ours(R"(
     0 create 1 as coroutine left
     0 create 2 as coroutine right
     1 resume 1
     2 suspend 1 on 2
     3 resume 2
     4 suspend 2 on 1
     9 executor_end -
  )"));
  CHECK(text.find(": deadlock") != std::string::npos);
  CHECK(text.find("Deadlock: the wait chain leads back to ") != std::string::npos);
}

TEST_CASE("the text names what completes a pending operation") {
  const auto report = [](const std::string& operation, const std::string& before = {}) {
    return report_of(ours("0 create 1 as coroutine session\n 0 resume 1\n" + before +
                          "1 create 2 by 1 as io " + operation +
                          "\n 1 suspend 1 on 2\n 9000000 executor_end -"));
  };
  CHECK(report("socket.async_receive").find("(#2) waits for its peer to send.") !=
        std::string::npos);
  CHECK(
      report("channel.async_send").find("(#2) waits for a task that receives from the channel.") !=
      std::string::npos);
  CHECK(report("unheard_of").find("is pending: a timer, a peer") != std::string::npos);
  CHECK(report("deadline_timer.async_wait", "1 expires 1 =49000000\n")
            .find("takes 49.0 ms, of which 40.0 ms are left.") != std::string::npos);
}

TEST_CASE("the text names the peer of a socket, and what its operations have moved") {
  std::optional<UnseenBytes> unseen;
  const auto report = [&](const std::string& operation, const std::string& before = {},
                          const std::string& live = {}) {
    const std::string text =
        "0 create 1 as coroutine session\n 0 resume 1\n"
        "0 resource 1 of 30 as socket\n"
        "0 connection 1 of 30 =7 addresses\n" +
        before + "3 about 1 of 30\n 3 create 2 by 1 as io socket.async_" + operation +
        "\n 1 suspend 1 on 2\n 9000000 executor_end -";
    Example e = ring(text, live);
    e.model.objects[0].connection =
        e.trace.strings.intern((operation == "accept" || operation == "receive_from"
                                    ? "0.0.0.0:80 (tcp)"
                                    : "127.0.0.1:1 > 127.0.0.1:5432 (tcp)"));
    if (unseen)
      e.trace.socket_bytes = {
          {.socket = 30, .sent = unseen->sent_before},
          {.time = 2,
           .socket = 30,
           .sent = unseen->sent_before + unseen->sent + (before.empty() ? 0 : 812),
           .received = unseen->received}};
    if (!live.empty())
      e.trace.live_tasks[0].traffic = {
          .sent = 3000, .received = 40, .sent_at = 2'000'000, .received_at = -7};
    return report_of(e);
  };
  const auto has = [](const std::string& text, std::string_view part) {
    CAPTURE(text);
    CHECK(unwrapped(text).find(part) != std::string::npos);
  };
  has(report("receive"),
      "waits for 127.0.0.1:5432 to send. No operation of this socket has sent or received");
  has(report("send"), "waits for 127.0.0.1:5432 to read.");
  has(report("accept"), "waits for a connection to 0.0.0.0:80.");
  has(report("receive_from"), "waits for a peer of 0.0.0.0:80.");
  has(report("wait"), "waits for 127.0.0.1:5432.");
  const std::string sent =
      "1 about 1 of 30\n 1 create 3 by 1 as io socket.async_send\n"
      "1 resume 3 by 1\n 1 io 3 of 3 =812\n 1 resolve 3\n 1 resume 1\n";
  has(report("receive", sent),
      "socket sent 812 bytes, the last 9.00 ms ago, and received nothing since.");
  // An operation that failed has moved nothing.
  has(report("receive",
             "0 about 1 of 30\n 0 create 3 by 1 as io socket.async_send\n"
             "0 io 3 of 3 =18446744073709551512\n"),
      "No operation of this socket has sent or received");
  has(report("receive", "", "0 resource 30 as socket"),
      "socket sent 3,000 bytes, the last 7.00 ms ago, and received nothing since (40 bytes "
      "before).");

  unseen = UnseenBytes{.sent_before = 812};
  has(report("receive"),
      "No operation of this socket has sent or received anything. But the kernel has counted 812 "
      "bytes sent by calls that are not in the trace.");
  has(report("receive", sent), "and received nothing since.\n");
  unseen = UnseenBytes{.sent_before = 812, .sent = 30, .received = 1};
  has(report("receive", sent),
      "The kernel has also counted 30 bytes sent and 1 byte received by calls that are not in "
      "the trace.");
}

TEST_CASE("why: both ends of a connection in one program") {
  // 2 waits to receive on 30; `more` uses 31, its other end.
  const auto report = [](const std::string& more, std::string_view end = "2 > 1",
                         const std::string& time = "9000000") {
    Example e = ring(
        "0 create 1 as coroutine client\n 0 resume 1\n 0 resource 1 of 30 as socket\n"
        "0 connection 1 of 30 =7 a\n 0 resource 1 of 31 as socket\n"
        "0 connection 1 of 31 =8 b\n 0 create 9 as coroutine session\n" +
            more +
            "1 about 1 of 30\n 1 create 2 by 1 as io socket.async_receive\n"
            "1 suspend 1 on 2\n " +
            time + " executor_end -",
        "");
    for (Model::Object& object : e.model.objects)
      object.connection =
          e.trace.strings.intern(object.id == 30 ? "1 > 2 (tcp)" : std::string(end) + " (tcp)");
    return unwrapped(report_of(e));
  };
  const auto has = [](const std::string& text, std::string_view part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(report(""),
      "The other end is in this program, and no operation in the trace has sent to it.");
  const std::string unread =
      "0 about 1 of 31\n 0 create 3 by 9 as io socket.async_send\n 0 io 3 of 3 =7\n 0 resolve 3\n";
  has(report(unread),
      "The other end is in this program, and its operations have sent 7 bytes more than those of "
      "this socket have received: unless calls that are not in the trace have read them, they are "
      "on their way.");
  const std::string sent = unread +
                           "0 about 1 of 30\n 0 create 6 by 1 as io socket.async_receive\n"
                           "0 io 6 of 6 =7\n 0 resolve 6\n";
  has(report(sent),
      "The other end is in this program, and no operation of it is pending. The last was "
      "socket.async_send (#3), which ended 9.00 ms ago.");
  const std::string receives =
      sent + "0 about 1 of 31\n 0 create 4 by 9 as io socket.async_receive\n";
  const std::string seconds = "3000000000";
  has(report(receives, "2 > 1", seconds),
      "The other end is in this program, where socket.async_receive (#4) waits to receive, too, "
      "and neither has sent for 3.00 s.");
  CHECK(report(receives).find("other end") == std::string::npos);  // it may be in use
  const std::string sends =
      receives + "0 about 1 of 31\n 0 create 5 by 9 as io socket.async_send\n";
  has(report(sends), "waits to receive, too.");  // of the other: what was sent is about to arrive
  CHECK(report(sends, "2 > 1", seconds).find("neither") == std::string::npos);
  CHECK(report(sent, "3 > 1").find("other end") == std::string::npos);
  CHECK(report(sent + "0 resolve 31\n").find("other end") == std::string::npos);
}

TEST_CASE("a failure for which others wait") {
  const Example e = ours(R"(
     0 create 1 as coroutine writer
     0 create 2 as coroutine agent
     1 resume 1
     1 create 3 by 1 as coroutine pop
     2 fail 1 stod
     3 resume 2
     4 suspend 2
  )");
  const Waits waits = find_waits(e.trace, e.model);
  const Subject subject{e.trace, e.model, waits};
  std::vector<UnreadFailure> failures = unread_failures(subject);
  REQUIRE(failures.size() == 1);
  failures[0].unserved = {.first = e.model.find(2),
                          .tasks = 3,
                          .since = 1,
                          .server = e.model.find(1),
                          .last = e.model.find(3)};
  const WhyFindings found{.diagnoses = {}, .failures = failures};
  const std::string text = unwrapped(why_text(subject, found));
  CHECK(text.find("Failed, and other tasks have waited since:") != std::string::npos);
  CHECK(text.find("agent (#2) and 2 similar tasks have waited for 3 ns. writer (#1) was the only "
                  "task on the other side, last in pop (#3).") != std::string::npos);
  CHECK(text.find("no task in the trace has read the error") == std::string::npos);
  CHECK(why_json(subject, found).text().find("\"unserved\"") != std::string::npos);
}

TEST_CASE("a pool whose threads run tasks that have posted others") {
  const Example e = ours(R"(
     0 create 1 as handler pool.post
     1 resume 1
     2 create 2 by 1 as handler pool.post
  )",
                         {.until = 2'000'000'000});
  const std::string text = unwrapped(report_of(e));
  CHECK(text.starts_with("pool.post (#1): running"));
  CHECK(text.find("It is the only thread that has run handlers of pool, and 1 handler waits for "
                  "it. This run has posted 1 of these handlers, the first pool.post (#2): if it "
                  "waits for them, this is a deadlock.") != std::string::npos);
  CHECK(text.find("pool.post (#1) ran the longest on its thread in that time. It has posted "
                  "pool.post (#2), and still runs: if it waits for it, this is a deadlock.") !=
        std::string::npos);
}

TEST_CASE("why: a repeated timer that ended comes after what has waited for long") {
  const auto report = [](const std::string& more, uint64_t end) {
    std::string events = "0 resource - of 90 as alarm deadline_timer\n" + more;
    for (int tick = 1; tick <= 5; tick++) {
      const std::string t = std::to_string(10 * tick) + " ", id = std::to_string(tick + 10);
      if (tick != 1) events += t + "resume " + std::to_string(tick + 9) + "\n";
      if (tick != 5)
        events += t + "about - of 90\n" + t + "create " + id +
                  (tick == 1 ? "" : " by " + std::to_string(tick + 9)) + " as io wait\n";
      if (tick != 1) events += t + "resolve " + std::to_string(tick + 9) + "\n";
    }
    Example e = ours(events);
    e.trace.info.ended = end;
    e.model = build_model(e.trace, {.simplify = false, .until = end});
    const Waits waits = find_waits(e.trace, e.model);
    const Subject subject{e.trace, e.model, waits};
    return why_text(subject, {.diagnoses = diagnose_all(e.trace, e.model, waits),
                              .chains = broken_chains(subject)});
  };
  const std::string waits =
      "1 resource - of 30 as condition work\n 1 create 1 as coroutine client\n 2 resume 1\n"
      " 3 suspend 1 on 30 =1\n";
  const auto is_first = [](const std::string& text) {
    CAPTURE(text);
    const size_t timers = text.find("Repeated timers that ended");
    const size_t pending = text.find("May be wrong, or");
    REQUIRE(timers != std::string::npos);
    REQUIRE(pending != std::string::npos);
    return timers < pending;
  };
  CHECK(!is_first(report(waits, 2'000'000'000)));
  CHECK(is_first(report(waits, 900'000'000)));
}

TEST_CASE("why: the last task to pass an object waits for something else") {
  Example e = ours(R"(
     0 create 1 as coroutine first
     0 create 2 as coroutine second
     0 create 3 as coroutine load
     1 resume 1
     2 ready 1
     3 suspend 1 on 3
     4 resume 2
     5 suspend 2
     6 resume 3
     7 suspend 3
     9 executor_end -
  )");
  const StringId type = e.trace.strings.intern("Mutex::lock()");
  for (size_t i = 0; i < e.trace.events.size(); i++)
    if (const uint64_t time = e.trace.events.row(i).time; time == 2 || time == 5)
      e.trace.awaited_objects.push_back({i, 0xa0, type});
  const std::string text = unwrapped(report_of(e));
  CAPTURE(text);
  CHECK(
      text.find("there was first (#1), at 0.000000002 s; it waits for load (#3), for 6 ns. If the "
                "object is a lock that it holds, the others wait for it.") != std::string::npos);
}
