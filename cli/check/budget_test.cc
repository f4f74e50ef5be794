#include "cli/check/budget.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace skein;
using namespace skein::cli;

std::string error_of(std::string_view text) {
  const Result<Budget> budget = parse_budget(text);
  return budget ? "" : budget.error().what;
}

std::vector<TaskCost> hundred_tasks() {
  std::vector<TaskCost> tasks;
  for (int i = 1; i <= 100; i++)
    tasks.push_back({.running = i * 1e6, .awaits = 2.0 * i, .hops = i % 2 == 0 ? 1.0 : 0.0});
  return tasks;
}

TEST_CASE("a budget has a function, a statistic, a limit and a quantity") {
  const Result<Budget> budget = parse_budget("handle_request p99 < 50ms running");
  REQUIRE(budget);
  CHECK(budget->function == "handle_request");
  CHECK(budget->statistic == Budget::Statistic::Percentile);
  CHECK(budget->percent == 99);
  CHECK(budget->comparison == Budget::Operator::Less);
  CHECK(budget->value == 50e6);
  CHECK(budget->quantity == Budget::Quantity::Running);
}

TEST_CASE("a function's name may have spaces") {
  const Result<Budget> budget = parse_budget("  read from  peer   count  >=  3 ");
  REQUIRE(budget);
  CHECK(budget->function == "read from  peer");
  CHECK(budget->statistic == Budget::Statistic::Count);
  CHECK(budget->comparison == Budget::Operator::MoreOrEqual);
  CHECK(budget->value == 3);
}

TEST_CASE("the wrong part of a budget is named") {
  CHECK(error_of("") == "it has too few words");
  CHECK(error_of("f p99 < 50ms") == "it must end with running, awaits or hops");
  CHECK(error_of("f p99 <") == "it has too few words");
  CHECK(error_of("f p99 < 50 bananas") == "'bananas' is not one of running, awaits, hops");
  CHECK(error_of("f p99 ~ 50ms running") == "'~' is not one of < <= > >= =");
  CHECK(error_of("f p0 < 5 hops") == "'p0' is not one of p1 to p100, max, mean, total, count");
  CHECK(error_of("f p101 < 5 hops") == "'p101' is not one of p1 to p100, max, mean, total, count");
  CHECK(error_of("f pnan < 5 hops") == "'pnan' is not one of p1 to p100, max, mean, total, count");
  CHECK(error_of("f max < 50 running") == "'50' is not a time with a unit, such as 50ms");
  CHECK(error_of("f max < -1ms running") == "'-1ms' is not a time with a unit, such as 50ms");
  CHECK(error_of("f max < 5ms awaits") == "'5ms' is not a number");
  CHECK(error_of("f max < inf awaits") == "'inf' is not a number");
  CHECK(error_of("f count < 5 awaits") == "count has no quantity: it is the number of tasks");
}

TEST_CASE("statistics of a hundred tasks") {
  const std::vector<TaskCost> tasks = hundred_tasks();
  const auto of = [&](std::string_view text) { return measure(*parse_budget(text), tasks); };
  CHECK(of("f p99 < 1ms running") == 99e6);
  CHECK(of("f p50 < 1ms running") == 50e6);
  CHECK(of("f p99.9 < 1ms running") == 100e6);
  CHECK(of("f p1 < 1ms running") == 1e6);
  CHECK(of("f max < 1 awaits") == 200);
  CHECK(of("f mean < 1 awaits") == 101);
  CHECK(of("f total < 1 hops") == 50);
  CHECK(of("f count < 1") == 100);
}

TEST_CASE("limits include or exclude their value") {
  const auto met = [](std::string_view text, double value) {
    return is_met(*parse_budget(text), value);
  };
  CHECK_FALSE(met("f max < 5 hops", 5));
  CHECK(met("f max <= 5 hops", 5));
  CHECK_FALSE(met("f max > 5 hops", 5));
  CHECK(met("f max >= 5 hops", 5));
  CHECK(met("f max = 5 hops", 5));
  CHECK_FALSE(met("f max = 5 hops", 6));
}

TEST_CASE("a value that only grows stays missed") {
  CHECK(only_grows(*parse_budget("f max < 5 hops")));
  CHECK(only_grows(*parse_budget("f count <= 5")));
  CHECK_FALSE(only_grows(*parse_budget("f max > 5 hops")));
  CHECK_FALSE(only_grows(*parse_budget("f p99 < 5 hops")));
}

TEST_CASE("measured values have units") {
  CHECK(measured_text(*parse_budget("f max < 5ms running"), 83.1e6) == "83.1 ms");
  CHECK(measured_text(*parse_budget("f mean < 5 hops"), 2.5) == "2.5");
}

}  // namespace
