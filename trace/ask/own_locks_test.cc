#include "trace/ask/own_locks.h"

#include <doctest/doctest.h>

#include <map>

#include "trace/ask/example.h"

using namespace skein;

namespace {

// A task calls lock(), which returns, then again, at another line, where it waits for the timer.
std::string transfer(int id, int timer) {
  const std::string t = std::to_string(10 * id) + " ", task = std::to_string(id),
                    first = std::to_string(10 * id + 1), second = std::to_string(10 * id + 2),
                    wait = std::to_string(10 * id + 3);
  return t + "create " + task + " as coroutine transfer\n" + t + "resume " + task + "\n" + t +
         "create " + first + " by " + task + " as coroutine lock\n" + t + "suspend " + task +
         " on " + first + "\n" + t + "resume " + first + "\n" + t + "resolve " + first + " by " +
         first + "\n" + t + "resume " + task + " by " + first + "\n" + t + "create " + second +
         " by " + task + " as coroutine lock\n" + t + "suspend " + task + " on " + second + "\n" +
         t + "resume " + second + "\n" + t + "about " + second + " of " + std::to_string(timer) +
         "\n" + t + "expires " + second + " =-1\n" + t + "create " + wait + " by " + second +
         " as timer\n" + t + "suspend " + second + " on " + wait + "\n";
}

const std::string timers = R"(
     0 create 5 as coroutine transfer
     0 create 6 as coroutine other
     0 resource 5 of 100 as alarm deadline_timer
     0 resource 5 of 101 as alarm deadline_timer
     1 resume 5
     2 cancel_uses 5 of 100
     2 cancel_uses 5 of 101
     3 resolve 5 by 5
)";

// The tasks of the deadlock that is found. Each wait of a task is at another line.
std::string found(const std::string& events, bool same_line = false) {
  AnalyzedExample run(events);
  std::map<TaskIndex, uint32_t> lines;
  for (Waits::Wait& wait : run.waits.waits) wait.location = same_line ? 1 : ++lines[wait.task];
  std::string ids;
  for (const OwnLockWait& one : find_own_locks(run.subject())) ids += run.e.id(one.waiter) + " ";
  return ids;
}

}  // namespace

TEST_CASE("tasks that take two locks in opposite order") {
  CHECK(found(timers + transfer(7, 100) + transfer(8, 101)) == "7 8 ");
}

TEST_CASE("waits for timers that are no deadlock") {
  SUBCASE("one timer: a queue, or a lock that a third task holds") {
    CHECK(found(timers + transfer(7, 100) + transfer(8, 100)).empty());
  }
  SUBCASE("one task") { CHECK(found(timers + transfer(7, 100)).empty()); }
  SUBCASE("the same line: workers without work") {
    CHECK(found(timers + transfer(7, 100) + transfer(8, 101), true).empty());
  }
  SUBCASE("another task has cancelled the timer before") {
    CHECK(found(timers + "4 resume 6\n 4 cancel_uses 6 of 100\n 4 suspend 6\n" + transfer(7, 100) +
                transfer(8, 101))
              .empty());
  }
  SUBCASE("another task of the function lives and does not wait there") {
    CHECK(found(timers + transfer(7, 100) + transfer(8, 101) + "90 create 9 as coroutine transfer")
              .empty());
  }
  SUBCASE("one has cancelled a timer since") {
    std::string unlocks = transfer(8, 101);
    unlocks.insert(unlocks.find("80 create 82"), "80 cancel_uses 8 of 100\n");
    CHECK(found(timers + transfer(7, 100) + unlocks).empty());
  }
}
