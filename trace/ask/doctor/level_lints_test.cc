#include <doctest/doctest.h>

#include "trace/ask/doctor/growth.h"
#include "trace/ask/doctor/test_findings.h"

using namespace skein;

TEST_CASE("counter-only-grows") {
  using Points = std::vector<Model::Counter::Point>;
  const auto level = [](int (*value)(int), int count, uint64_t end) {
    Points points;
    for (int i = 0; i <= count; i++) points.push_back({static_cast<uint64_t>(i) * 10, value(i)});
    return growth(points, end).has_value();
  };
  CHECK(level([](int i) { return i; }, 100, 1000));
  CHECK(level([](int i) { return i + i % 5 * 3; }, 100, 1000));  // falls in between
  CHECK(!level([](int i) { return i == 95 ? 0 : i; }, 100, 1000));
  CHECK(!level([](int i) { return i < 60 ? i : 60; }, 100, 1000));
  CHECK(!level([](int i) { return i; }, 100, 2000));  // stopped growing
  CHECK(!level([](int i) { return i; }, 19, 190));    // too few changes
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
    return findings_text(ours(text));
  };
  CHECK(counts("T counter_set - =V open\n") == "counter-only-grows - -\n");
  CHECK(counts("T counter_add - =1 sent\n") == "");  // a total
  CHECK(counts("T counter_add - =2 open\n T counter_add - =-1 open\n") ==
        "counter-only-grows - -\n");
  CHECK(counts("T counter_add - =2 open\n T counter_add - =-2 open\n") == "");
}

TEST_CASE("queue-only-grows") {
  // `put` items are put in, and `taken` of 100 taken out.
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
  CHECK(findings_text(queue(100, 50), {}) == "queue-only-grows 20 -\n");
  CHECK(findings_text(queue(100, 100), {}) == "");
  CHECK(findings_text(queue(19, 0), {}) == "");  // 19 changes are too few
  SUBCASE("a receiver finds the queue empty once") {
    Example e = queue(100, 50);
    e.trace.events.append({.time = 1010, .task = 2, .other = 20, .kind = EventKind::Suspend});
    e.trace.events.append({.time = 1020, .task = 2, .kind = EventKind::Resolve});
    CHECK(findings(e.trace).empty());
  }
  SUBCASE("waiters for a lock") {
    std::string text = "0 create 1 as coroutine\n 0 resource 1 of 20 as mutex door\n 1 resume 1\n";
    for (int i = 0; i < 50; i++) {
      const std::string task = std::to_string(100 + i);
      const std::string t = std::to_string(10 + i * 10);
      text += t + " create " + task + " as coroutine\n" + t + " resume " + task + " @1\n" + t +
              " suspend " + task + " on 20 @1\n";
    }
    CHECK(findings_text(ours(text + "520 resolve 1"), {}) == "queue-only-grows 20 -\n");
  }
}
