// A budget of `skein check`. One that is accepted has a function and a limit, is accepted again if
// it is printed in its normal form, and every statistic of some tasks can be compared with it.
#include "cli/check/budget.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace skein::cli;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto require = [](bool condition) {
    if (!condition) std::abort();
  };
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto budget = parse_budget(text);
  if (!budget) {
    require(!budget.error().what.empty());
    return 0;
  }
  require(!budget->function.empty() && std::isfinite(budget->value) && budget->value >= 0);
  require(text.find(budget->function) != std::string_view::npos);
  const TaskCost tasks[] = {{.running = 1e6, .awaits = 3, .hops = 0},
                            {.running = 5, .awaits = 1, .hops = 2}};
  const double measured = measure(*budget, tasks);
  require(std::isfinite(measured));
  is_met(*budget, measured);
  require(!measured_text(*budget, measured).empty());
  const auto again = parse_budget(" " + budget->text + "\n");
  require(again && again->function == budget->function && again->value == budget->value);
  return 0;
}
