#include "cli/check/trace_checks.h"

#include <doctest/doctest.h>

#include <vector>

#include "trace/ask/example.h"

namespace {

using namespace skein;
using namespace skein::cli;

TEST_CASE("costs are those of a function's tasks, without what they await") {
  const AnalyzedExample example(R"(
     0 create 1 as coroutine net::handle
     0 resume 1
     2 create 3 by 1 as coroutine read
     2 resume 3
     7 resolve 3 by 3
     7 suspend 1 on 3
    10 resume 1 by 3
    11 suspend 1 on 3
    20 resume 1 by 3
    25 resolve 1 by 1
    30 executor_end -
)");
  const std::vector<TaskCost> costs = costs_of(example.subject(), "handle");
  REQUIRE(costs.size() == 1);
  CHECK(costs[0].awaits == 2);
  CHECK(costs[0].hops == 0);
  const std::vector<TaskCost> of_read = costs_of(example.subject(), "read");
  REQUIRE(of_read.size() == 1);
  CHECK(of_read[0].awaits == 0);
  CHECK(costs[0].running * 5 == of_read[0].running * 8);  // 0 to 2, 10 to 11, 20 to 25
  CHECK(costs_of(example.subject(), "net::handle").size() == 1);
  CHECK(costs_of(example.subject(), "andle").empty());
  CHECK(costs_of(example.subject(), "").empty());
}

TEST_CASE("a loss with events is reported, one without is not") {
  Trace trace;
  CHECK(losses_text(trace).empty());
  trace.losses.push_back({.what = "time repaired", .events = 0});
  CHECK(losses_text(trace).empty());
  trace.losses.push_back({.what = "dropped by the recorder", .events = 7});
  CHECK(losses_text(trace) == "byte 0: dropped by the recorder (7 events)");
  trace.losses.push_back({.what = "packet header damaged"});
  CHECK(losses_text(trace).find("packet header damaged") != std::string::npos);
}

}  // namespace
