#include "trace/ask/outlived.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"

using namespace skein;

namespace {

// `count` connections, each with a reader and a flusher, of which `readers` and `flushers` end.
std::optional<Outlived> of(int count, int readers, int flushers, bool together = true) {
  std::string events = "0 create 1 as coroutine accept\n0 resume 1\n";
  uint64_t time = 1;
  const auto add = [&](const std::string& event) {
    events += std::to_string(time++) + " " + event + "\n";
  };
  for (int i = 0; i < count; i++) {
    add("create " + std::to_string(10 + 2 * i) + " by 1 as coroutine read");
    if (!together) time += 2'000'000;
    add("create " + std::to_string(11 + 2 * i) + " by 1 as coroutine flush");
    time += 5'000'000;
  }
  for (int i = 0; i < readers; i++) {
    const std::string id = std::to_string(10 + 2 * i);
    add("resolve " + id + " by " + id);
  }
  for (int i = 0; i < flushers; i++) {
    const std::string id = std::to_string(11 + 2 * i);
    add("resolve " + id + " by " + id);
  }
  const AnalyzedExample run(events);
  return find_outlived(run.e.trace, run.e.model,
                       run.e.model.find(static_cast<TaskId>(9 + 2 * count)));
}

}  // namespace

TEST_CASE("tasks that stay when those that were created with them end") {
  const auto found = of(25, 24, 0);
  REQUIRE(found);
  CHECK(found->count == 25);
  CHECK(found->ended == 24);
}

TEST_CASE("tasks that may be in use") {
  CHECK(!of(19, 19, 0));         // few
  CHECK(!of(25, 20, 0));         // five connections are open
  CHECK(!of(25, 25, 1));         // one has ended
  CHECK(!of(25, 25, 0, false));  // not created together
}
