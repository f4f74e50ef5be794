// What a test may cost: `skein check --budget 'handle_request p99 < 50ms running'`.
//
//   FUNCTION STATISTIC OPERATOR VALUE [QUANTITY]
//
//   STATISTIC   p50, p99, p99.9 ...  max  mean  total    over the tasks of this function
//               count                                    their number; has no QUANTITY
//   OPERATOR    <  <=  >  >=  =
//   VALUE       a number; of `running` with its unit: 50ms, 300us
//   QUANTITY    running  time that a task ran; not the time that it waited or was runnable
//               awaits   how often it began to wait
//               hops     how often it continued on another thread than before
//
// None of them is wall time, so that a busy machine does not miss a budget.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace skein::cli {

struct Budget {
  enum class Statistic : uint8_t { Percentile, Max, Mean, Total, Count };
  enum class Operator : uint8_t { Less, LessOrEqual, More, MoreOrEqual, Equal };
  enum class Quantity : uint8_t { None, Running, Awaits, Hops };

  std::string text = {};      // as the user wrote it
  std::string function = {};  // "handle_request", "Server::run", "session 12"
  Statistic statistic = Statistic::Max;
  double percent = 0;  // Percentile: from 0 to 100
  Operator comparison = Operator::Less;
  double value = 0;  // Running: ns
  Quantity quantity = Quantity::None;
};

// Fails with a message for users, which names the wrong part. Any bytes are allowed.
Result<Budget> parse_budget(std::string_view text);

// What one task cost.
struct TaskCost {
  double running = 0;  // ns
  double awaits = 0;
  double hops = 0;
};

// Of the statistic over `tasks`, which must not be empty. O(tasks log tasks).
double measure(const Budget& budget, std::span<const TaskCost> tasks);
bool is_met(const Budget& budget, double measured);
// Whether `measured` only grows if more tasks or events become known: more cannot heal a miss.
bool only_grows(const Budget& budget);
// "83.1 ms", "12"
std::string measured_text(const Budget& budget, double measured);

}  // namespace skein::cli
