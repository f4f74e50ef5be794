#include "profile/sample/off_cpu.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

using namespace skein;

namespace {

PerfRecord sample(uint32_t tid, uint64_t time) {
  PerfRecord one;
  one.tid = tid;
  one.time = time;
  return one;
}

}  // namespace

TEST_CASE("off-CPU time lasts until a thread runs again, or the recording ends") {
  OffCpu away;
  std::vector<std::pair<uint32_t, uint64_t>> waits;
  std::vector<uint64_t> last;
  const auto use = [&](const OffCpu::Wait& wait) {
    waits.emplace_back(wait.sample.tid, wait.sample.period);
    last = wait.chain;
    return wait.sample.period != 5;
  };
  const std::vector<uint64_t> stack{1, 2, 3};
  away.leave(sample(7, 100), stack, {});
  away.leave(sample(8, 110), {}, {});
  away.preempt(8);
  CHECK(away.is_away_since(7, 100));
  CHECK_FALSE(away.is_away_since(7, 110));  // another wait
  CHECK_FALSE(away.is_away_since(9, 100));
  away.end(7, 150, use);
  CHECK(last == stack);
  CHECK_FALSE(away.is_away(7));
  away.end(7, 160, use);  // it was not away
  away.end(8, 140, use);
  away.leave(sample(7, 200), stack, {});
  away.leave(sample(7, 300), stack, {});  // the switch between was lost
  away.end_all(310, use);
  CHECK(waits == std::vector<std::pair<uint32_t, uint64_t>>{{7, 50}, {8, 30}, {7, 10}});
  away.leave(sample(9, 400), {}, {});
  away.end(9, 405, use);  // not counted
  LogicalSample logical;
  away.leave(sample(9, 410), {}, {});
  away.set_logical(9, {.functions = 2, .chain = 3});
  away.end(9, 500, [&](const OffCpu::Wait& wait) {
    logical = wait.logical;
    return false;
  });
  CHECK(logical == LogicalSample{.functions = 2, .chain = 3});
  CHECK(away.total_ns() == 90);
  CHECK(away.preempted_ns() == 30);
}

TEST_CASE("times that go back are no waits") {
  OffCpu away;
  away.leave(sample(7, 100), {}, {});
  away.end(7, 99, [](const OffCpu::Wait&) {
    FAIL("a wait");
    return true;
  });
  CHECK(away.total_ns() == 0);
}
