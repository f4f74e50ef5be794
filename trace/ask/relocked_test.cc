#include "trace/ask/relocked.h"

#include <doctest/doctest.h>

#include "trace/ask/object_example.h"

using namespace skein;

namespace {

// 1 and 2 pass the object at one line, and wait for it at another.
const std::string upgrade = R"(
     0 create 1 as coroutine touch
     0 create 2 as coroutine touch
     0 create 3 as coroutine read
     1 resume 1
     2 ready 1 at 1
     3 suspend 1 on 3
     4 resume 2
     5 ready 2 at 1
     6 suspend 2 on 3
     7 resume 3
     8 ready 3 at 2
     9 resolve 3 by 3
    10 resume 1 by 3
    11 suspend 1 at 3
    12 resume 2 by 3
    13 suspend 2 at 3
)";

// By task: "PASSER OTHERS", and whether it is a deadlock.
std::string relocked(const std::string& events, std::string_view type = "SharedLock::Awaiter",
                  bool is_asleep = true, uint64_t end = 2'000'000'000) {
  ObjectExample run(events, type);
  run.e.model.end = end;
  if (is_asleep) run.e.trace.info.asleep = end;
  const auto all = find_relocked(run.subject());
  std::string out;
  for (TaskIndex task = 0; task < run.e.model.tasks.size(); task++) {
    const auto at = all.find(task);
    if (at == all.end()) continue;
    const Relocked& one = at->second;
    out += run.e.id(task) + ": " + run.e.id(one.passer) + ' ' + std::to_string(one.others) +
           (one.is_deadlock ? " deadlock\n" : "\n");
  }
  return out;
}

}  // namespace

TEST_CASE("two tasks that have passed a lock and wait for it at another line") {
  CHECK(relocked(upgrade) == "1: 1 1 deadlock\n2: 2 1 deadlock\n");
  CHECK(relocked(upgrade, "SharedLock::Awaiter", false) == "1: 1 1\n2: 2 1\n");  // threads may run
  CHECK(relocked(upgrade, "SharedLock::Awaiter", true, 500'000'000).empty());
}

TEST_CASE("objects that may be no locks") {
  CHECK(relocked(upgrade, "Gate") == "1: 1 1\n2: 2 1\n");
  CHECK(relocked(upgrade, "Gate", false).empty());
  CHECK(relocked(upgrade, "Clock::Awaiter", false).empty());
  CHECK(relocked(upgrade, "LockedQueue<std::mutex>::pop()::Awaiter", false).empty());
}

TEST_CASE("a task that takes a lock twice, and one whose caller has taken it") {
  CHECK(relocked("0 create 1 as coroutine insert\n1 resume 1\n2 ready 1 at 1\n3 suspend 1 at 2") ==
        "1: 1 0\n");
  CHECK(relocked("0 create 1 as coroutine insert\n1 resume 1\n2 ready 1 at 1\n"
              "3 create 2 by 1 as coroutine evict\n4 suspend 1 on 2 at 2\n5 resume 2\n"
              "6 suspend 2 at 3") == "2: 1 0\n");
}

TEST_CASE("waits for a lock that another task may hold") {
  SUBCASE("one that lives has passed it") {
    CHECK(
        relocked(upgrade + "14 create 5 as coroutine other\n15 resume 5\n16 ready 5 at 2\n").empty());
  }
  SUBCASE("the caller of one that has ended lives") {
    CHECK(relocked(upgrade + "14 create 4 as coroutine holder\n14 create 5 by 4 as coroutine acquire\n"
                          "15 resume 4\n16 suspend 4 on 5 at 4\n17 resume 5\n18 ready 5 at 5\n"
                          "19 resolve 5 by 5\n20 resume 4 by 5\n")
              .empty());
  }
  SUBCASE("they passed it at the same line: workers") {
    CHECK(relocked("0 create 1 as coroutine worker\n1 resume 1\n2 ready 1 at 1\n3 suspend 1 at 1")
              .empty());
  }
  SUBCASE("they have not passed it") {
    CHECK(relocked("0 create 1 as coroutine a\n1 resume 1\n3 suspend 1 at 1").empty());
  }
}
