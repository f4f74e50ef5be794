#include "trace/ask/critical.h"

#include <doctest/doctest.h>

#include <random>

#include "trace/ask/example.h"
#include "trace/ask/random_events_trace.h"
#include "trace/ask/random_program.h"

using namespace skein;

namespace {

// "0-5 1 running, 5-9 3 external".
std::string path_of(const Example& e, const char* task, uint64_t from, uint64_t to) {
  const Waits waits = find_waits(e.trace, e.model);
  std::string text;
  for (const Segment& s :
       critical_path(e.trace, e.model, waits, e.model.find(number(task)), from, to)) {
    text += text.empty() ? "" : ", ";
    text += std::to_string(s.begin) + "-" + std::to_string(s.end) + " " +
            (s.task == no_index ? "-" : e.id(s.task)) + " " + std::string(name(s.kind));
    if (s.on != no_index) text += " on " + e.id(s.on);
  }
  return text;
}

}  // namespace

TEST_CASE("a task waits for a timer, and is runnable after it fired") {
  const Example e = ours(timer_and_turn);
  CHECK(path_of(e, "1", 0, 18) ==
        "0-1 1 running, 1-10 3 external, 10-13 1 runnable on 2, 13-18 1 running");
  CHECK(path_of(e, "1", 4, 15) == "4-10 3 external, 10-13 1 runnable on 2, 13-15 1 running");
  CHECK(path_of(e, "1", 9, 9).empty());
}

TEST_CASE("a timer that was due while its thread was busy") {
  const std::string begin = R"(
     0 create 1 as coroutine waits
     0 resume 1
     1 expires 1 =9
     1 create 2 under 1 as timer pause
     2 suspend 1 on 2
     3 create 3 as coroutine busy
     3 resume 3
  )";
  const std::string fires = "30 resume 2\n 31 resume 1 by 2\n 32 resolve 1\n 33 resolve 2\n";
  CHECK(path_of(ours(begin + "25 resolve 3\n" + fires), "1", 0, 32) ==
        "0-1 1 running, 1-10 2 external, 10-30 2 runnable on 3, 30-31 2 running, 31-32 1 running");
  CHECK(path_of(ours(begin + "9 resolve 3\n" + fires), "1", 0, 32) ==
        "0-1 1 running, 1-30 2 external, 30-31 2 running, 31-32 1 running");
}

TEST_CASE("the task that matters at the end") {
  const auto last = [](const std::string& text) {
    const Example e = ours(text);
    return e.id(last_of_program(e.trace, e.model, find_waits(e.trace, e.model)));
  };
  const std::string two = R"(
     0 create 1 as coroutine first
     0 create 2 as coroutine second @1
     1 resume 1
     1 resume 2 @1
  )";
  CHECK(last(two + "5 resolve 2 @1\n 6 resolve 1\n 7 create 3 as handler post\n 8 resume 3\n"
                   "9 resolve 3\n") == "1");
  CHECK(last(two + "5 resolve 1\n 6 suspend 2 on 2 @1\n") == "2");  // it waits for itself
  CHECK(last("0 create 3 as handler post\n 8 resume 3\n 9 resolve 3\n") == "3");
}

TEST_CASE("an awaited child: its work is on the path, and what it waited for") {
  const Example e = ours(R"(
     0 create 1 as coroutine parent
     0 resume 1
     2 create 2 by 1 as coroutine child
     3 suspend 1 on 2
     3 resume 2 by 1
     5 create 4 by 2 as io socket.async_read
     6 suspend 2 on 4
    16 resolve 4 by 4
    16 resume 2 by 4
    20 resolve 2 by 2
    20 resume 1 by 2
    21 resolve 1 by 1
    30 executor_end -
  )");
  CHECK(path_of(e, "1", 0, 21) ==
        "0-3 1 running, 3-5 2 running, 5-16 4 external, 16-20 2 running, 20-21 1 running");
}

TEST_CASE("a lock continues with its holder; a notification with the waker") {
  const Example e = ours(R"(
     0 create 1 as coroutine first
     0 create 2 as coroutine second
     0 resource 1 of 9 as mutex
     0 resume 1
     1 acquire 1 of 9
     2 create 5 by 1 as timer
     2 suspend 1 on 5
     3 resume 2
     4 suspend 2 on 9 =1
    10 resolve 5 by 5
    10 resume 1 by 5
    12 release 1 of 9
    12 notify 9 by 1 =1
    13 resolve 1 by 1
    14 resume 2 by 1
    15 resolve 2 by 2
  )");
  CHECK(path_of(e, "2", 0, 15) ==
        "0-2 1 running, 2-10 5 external, 10-12 1 running, 12-14 2 runnable on 1, 14-15 2 running");
  // While it waits: the actions of the holder.
  CHECK(path_of(e, "2", 0, 8) == "0-2 1 running, 2-8 5 external");
}

TEST_CASE("before a task that main() created, the path has what ran there before") {
  const Example e = ours(R"(
     1 create 1 as coroutine first
     2 resume 1
     5 resolve 1 by 1
     9 create 2 as coroutine second
     9 resume 2
    12 resolve 2 by 2
    13 executor_end -
  )");
  CHECK(path_of(e, "2", 0, 12) ==
        "0-1 - external, 1-2 1 runnable, 2-5 1 running, 5-9 - external, 9-12 2 running");
}

TEST_CASE("a cycle terminates, and unexplained time is blocked") {
  const Example e = ours(R"(
     0 create 1 as coroutine a
     0 create 2 as coroutine b
     1 resume 1
     2 suspend 1 on 2
     3 resume 2
     4 suspend 2 on 1
    20 executor_end -
  )");
  CHECK(path_of(e, "1", 0, 20) == "0-3 2 runnable on 1, 3-4 2 running, 4-20 2 waiting on 1");
  const Example never = ours(R"(
     5 create 1 as coroutine a
     5 resource 1 of 9 as condition
     6 resume 1
     8 suspend 1 on 9 =1
    20 executor_end -
  )");
  CHECK(path_of(never, "1", 0, 20) ==
        "0-5 - external, 5-6 1 runnable, 6-8 1 running, 8-20 1 waiting on 9");
}

TEST_CASE("the time after the end of a task is external") {
  //      0    5    10   20
  //  1   ==---------------     (waits for 2, whose end did not wake it)
  //  2     =====]
  const Example e = ours(R"(
     0 create 1 as coroutine session
     0 resume 1
     1 create 2 by 1 as handler deadline
     3 resume 2
     8 resolve 2 by 2
     9 suspend 1 on 2
  )",
                         {.simplify = false, .until = 1000});
  CHECK(path_of(e, "2", 0, 1000) ==
        "0-1 1 running, 1-3 2 runnable on 1, 3-8 2 running, 8-1000 - external");
  const std::string waits = path_of(e, "1", 0, 1000);
  CHECK(waits.ends_with("9-1000 1 waiting on 2"));
  // A successor continues.
  const Example became = ours(R"(
     0 create 1 as coroutine first
     0 create 2 as coroutine second
     0 resume 1
     4 become 1 into 2
     5 resume 2
     9 suspend 2
  )",
                              {.simplify = false, .until = 20});
  CHECK(path_of(became, "1", 0, 20) == path_of(became, "2", 0, 20));
}

TEST_CASE("an operation that another task cancelled") {
  const Example e = ours(R"(
     0 create 1 as coroutine victim
     0 resume 1
     1 resource - of 5 as alarm timer
     1 about - of 5
     1 create 2 by 1 as timer wait
     2 suspend 1 on 2
     3 create 3 as coroutine killer
     5 resume 3
     6 cancel_uses 3 of 5
     8 resolve 3 by 3
     9 resume 2
    11 resume 1 by 2
    13 resolve 1 by 1
    13 switch_to 2
    14 fail 2 by 2
  )",
                         {.simplify = false, .until = 20});
  CHECK(path_of(e, "1", 0, 13) ==
        "0-2 1 running, 2-3 - external, 3-5 3 runnable, 5-6 3 running, 6-9 2 runnable on 3, 9-11 2 "
        "running, 11-13 1 running");
}

TEST_CASE("the path is complete for random events") {
  for (uint32_t seed = 1; seed <= programs_of(2'000); seed++) {
    const Trace trace = random_events_trace(seed);
    const Model model = build_model(trace, {.simplify = false});
    const Waits waits = find_waits(trace, model);
    CAPTURE(seed);
    for (TaskIndex task = 0; task < model.tasks.size(); task++) {
      uint64_t time = 0;
      for (const Segment& s : critical_path(trace, model, waits, task, 0, model.end)) {
        REQUIRE(s.begin == time);
        REQUIRE(s.begin < s.end);
        time = s.end;
      }
      REQUIRE(time == model.end);
    }
  }
}

TEST_CASE("random programs: every path is complete and matches the model") {
  std::mt19937 random(3);
  for (uint32_t seed = 1; seed <= programs_of(300); seed++) {
    const RandomProgram program(seed, static_cast<RandomProgram::Fault>(seed % 7));
    const Model model = build_model(program.trace, {.simplify = false});
    const Waits waits = find_waits(program.trace, model);
    CAPTURE(seed);
    for (int i = 0; i < 20; i++) {
      const auto task = static_cast<TaskIndex>(random() % model.tasks.size());
      const uint64_t to = i == 0 ? model.end : 1 + random() % model.end;
      const uint64_t from = i % 2 ? 0 : random() % to;
      const std::vector<Segment> path = critical_path(program.trace, model, waits, task, from, to);
      uint64_t time = from;
      for (const Segment& s : path) {
        REQUIRE(s.begin == time);
        REQUIRE(s.begin < s.end);
        time = s.end;
        if (s.kind != Segment::Kind::Running) continue;
        // The task was current for the whole segment.
        REQUIRE(std::any_of(model.activations.begin(), model.activations.end(),
                            [&](const Model::Activation& a) {
                              return a.task == s.task && a.start <= s.begin && a.end >= s.end;
                            }));
      }
      REQUIRE(time == to);
    }
  }
}
