#include "trace/ask/overtaken.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"

using namespace skein;

namespace {

// Task 1 waits from 0 on; then `count` others wait at the same line for 5 ms each.
std::optional<EarlierWaits> of_first(int count, uint32_t line, uint64_t end) {
  std::string events = "0 create 1 as coroutine call\n0 resume 1\n0 suspend 1\n";
  uint64_t time = 1;
  for (int i = 0; i < count; i++, time += 1'000'000) {
    const std::string id = std::to_string(10 + i);
    const auto add = [&](const std::string& event) {
      events += std::to_string(time) + " " + event + "\n";
    };
    add("create " + id + " as coroutine call");
    add("resume " + id);
    add("suspend " + id);
    time += 5'000'000;
    add("resume " + id);
    add("resolve " + id + " by " + id);
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
