#include "trace/ask/overtaken.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"

using namespace skein;

namespace {

// Task 1 waits from 0 on; then others wait at the same line `count` times, for 5 ms each. There are
// `tasks` others, or so many as waits.
std::optional<EarlierWaits> of_first(int count, uint32_t line, uint64_t end, int tasks = 1000) {
  std::string events = "0 create 1 as coroutine call\n0 resume 1\n0 suspend 1\n";
  uint64_t time = 1;
  for (int i = 0; i < count; i++, time += 1'000'000) {
    const std::string id = std::to_string(10 + i % tasks);
    const auto add = [&](const std::string& event) {
      events += std::to_string(time) + " " + event + "\n";
    };
    if (i < tasks) add("create " + id + " as coroutine call");
    add("resume " + id);
    add("suspend " + id);
    time += 5'000'000;
    add("resume " + id);
    if (tasks >= count) add("resolve " + id + " by " + id);
  }
  AnalyzedExample run(events);
  run.e.model.end = end;
  for (Waits::Wait& wait : run.waits.waits) wait.location = run.e.id(wait.task) == "1" ? 7 : line;
  return Places(run.subject()).overtaken(0);
}

}  // namespace

TEST_CASE("a wait that lasts much longer than others at its place") {
  const auto found = of_first(30, 7, 2'000'000'000);
  REQUIRE(found);
  CHECK(found->count == 30);
  CHECK(found->later == 30);
  CHECK(found->longest == 5'000'000);
  CHECK(!of_first(30, 8, 2'000'000'000));  // at another place
  CHECK(!of_first(10, 7, 2'000'000'000));
  CHECK(!of_first(30, 7, 500'000'000));
}

TEST_CASE("waits of workers") {
  const auto of_requests = of_first(30, 7, 2'000'000'000);
  REQUIRE(of_requests);
  CHECK(of_requests->own == 0);
  CHECK(of_requests->tasks == 30);
  CHECK(!of_requests->is_usual());
  const auto of_workers = of_first(30, 7, 2'000'000'000, 3);
  REQUIRE(of_workers);
  CHECK(of_workers->tasks == 3);
  CHECK(of_workers->is_usual());
}

TEST_CASE("a wait of a task that has waited at this place before") {
  std::string events = "0 create 1 as coroutine worker\n0 resume 1\n";
  for (int i = 0; i < 25; i++)  // each in a call
    events += "1 create 5" + std::to_string(i) + " by 1 as coroutine pop\n1 suspend 1 on 5" +
              std::to_string(i) + " at 1\n1 resume 5" + std::to_string(i) + "\n1 suspend 5" +
              std::to_string(i) + " at 2\n" +
              (i == 24 ? ""
                       : "2 resume 5" + std::to_string(i) + "\n2 resolve 5" + std::to_string(i) +
                             "\n2 resume 1 by 5" + std::to_string(i) + "\n");
  AnalyzedExample run(events);
  run.e.model.end = 2'000'000'000;
  const auto found = Places(run.subject()).overtaken(run.waits.last_wait[run.e.model.find(524)]);
  REQUIRE(found);
  CHECK(found->count == 24);
  CHECK(found->own == 24);
  CHECK(found->is_usual());
}
