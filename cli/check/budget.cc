#include "cli/check/budget.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/duration.h"
#include "base/text.h"

namespace skein::cli {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view space = " \t\n";
  std::vector<std::string_view> words;
  for (size_t at = 0; (at = text.find_first_not_of(space, at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(space, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<double> parse_plain(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

bool parse_statistic(std::string_view word, Budget& budget) {
  using enum Budget::Statistic;
  constexpr std::pair<std::string_view, Budget::Statistic> names[] = {
      {"max", Max}, {"mean", Mean}, {"total", Total}, {"count", Count}};
  for (const auto& [name, statistic] : names)
    if (word == name) {
      budget.statistic = statistic;
      return true;
    }
  if (!word.starts_with('p')) return false;
  const std::optional<double> percent = parse_plain(word.substr(1));
  if (!percent || !(*percent > 0) || *percent > 100) return false;
  budget.statistic = Percentile;
  budget.percent = *percent;
  return true;
}

bool parse_operator(std::string_view word, Budget& budget) {
  using enum Budget::Operator;
  constexpr std::pair<std::string_view, Budget::Operator> names[] = {
      {"<", Less},         {"<=", LessOrEqual}, {">", More},
      {">=", MoreOrEqual}, {"=", Equal},        {"==", Equal}};
  for (const auto& [name, comparison] : names)
    if (word == name) {
      budget.comparison = comparison;
      return true;
    }
  return false;
}

bool parse_quantity(std::string_view word, Budget& budget) {
  using enum Budget::Quantity;
  constexpr std::pair<std::string_view, Budget::Quantity> names[] = {
      {"running", Running}, {"awaits", Awaits}, {"hops", Hops}};
  for (const auto& [name, quantity] : names)
    if (word == name) {
      budget.quantity = quantity;
      return true;
    }
  return false;
}

Error wrong(const std::string& what) {
  return Error{.what = what,
               .advice =
                   "the form is 'FUNCTION p99|max|mean|total < VALUE running|awaits|hops' or "
                   "'FUNCTION count < VALUE'"};
}

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

}  // namespace

Result<Budget> parse_budget(std::string_view text) {
  Budget budget{.text = std::string(text)};
  std::vector<std::string_view> words = words_of(text);
  if (!words.empty() && parse_quantity(words.back(), budget)) words.pop_back();
  if (words.size() < 4) return wrong("it has too few words");
  const bool has_other_quantity = budget.quantity == Budget::Quantity::None && words.size() > 4 &&
                                  parse_operator(words[words.size() - 3], budget);
  if (has_other_quantity)
    return wrong(quoted(words.back()) + " is not one of running, awaits, hops");
  const std::string_view value = words[words.size() - 1];
  const std::string_view comparison = words[words.size() - 2];
  const std::string_view statistic = words[words.size() - 3];
  if (!parse_operator(comparison, budget))
    return wrong(quoted(comparison) + " is not one of < <= > >= =");
  if (!parse_statistic(statistic, budget))
    return wrong(quoted(statistic) + " is not one of p1 to p100, max, mean, total, count");
  const bool is_count = budget.statistic == Budget::Statistic::Count;
  if (is_count && budget.quantity != Budget::Quantity::None)
    return wrong("count has no quantity: it is the number of tasks");
  if (!is_count && budget.quantity == Budget::Quantity::None)
    return wrong("it must end with running, awaits or hops");
  const bool is_time = budget.quantity == Budget::Quantity::Running;
  const std::optional<double> plain = parse_plain(value);
  const std::optional<double> parsed =
      is_time ? (plain ? std::nullopt : parse_duration(value)) : plain;
  if (!parsed || !(*parsed >= 0))
    return wrong(quoted(value) +
                 (is_time ? " is not a time with a unit, such as 50ms" : " is not a number"));
  budget.value = *parsed;
  const std::string_view last = words[words.size() - 4];
  budget.function = std::string(words[0].data(), last.data() + last.size());
  return budget;
}

double measure(const Budget& budget, std::span<const TaskCost> tasks) {
  if (budget.statistic == Budget::Statistic::Count) return static_cast<double>(tasks.size());
  std::vector<double> values;
  values.reserve(tasks.size());
  double total = 0;
  for (const TaskCost& task : tasks) {
    const double value = budget.quantity == Budget::Quantity::Running  ? task.running
                         : budget.quantity == Budget::Quantity::Awaits ? task.awaits
                                                                       : task.hops;
    values.push_back(value);
    total += value;
  }
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  switch (budget.statistic) {
    case Budget::Statistic::Mean:
      return total / static_cast<double>(values.size());
    case Budget::Statistic::Total:
      return total;
    case Budget::Statistic::Percentile: {
      // Nearest rank: the smallest value that so many do not exceed.
      const double rank = std::ceil(budget.percent / 100 * static_cast<double>(values.size()));
      const auto index = static_cast<size_t>(std::max(rank, 1.0)) - 1;
      return values[std::min(index, values.size() - 1)];
    }
    case Budget::Statistic::Max:
    case Budget::Statistic::Count:
      break;
  }
  return values.back();
}

bool is_met(const Budget& budget, double measured) {
  switch (budget.comparison) {
    case Budget::Operator::Less:
      return measured < budget.value;
    case Budget::Operator::LessOrEqual:
      return measured <= budget.value;
    case Budget::Operator::More:
      return measured > budget.value;
    case Budget::Operator::MoreOrEqual:
      return measured >= budget.value;
    case Budget::Operator::Equal:
      break;
  }
  return !(measured < budget.value) && !(measured > budget.value);
}

bool only_grows(const Budget& budget) {
  return (budget.statistic == Budget::Statistic::Max ||
          budget.statistic == Budget::Statistic::Total ||
          budget.statistic == Budget::Statistic::Count) &&
         (budget.comparison == Budget::Operator::Less ||
          budget.comparison == Budget::Operator::LessOrEqual);
}

std::string measured_text(const Budget& budget, double measured) {
  if (budget.quantity == Budget::Quantity::Running) return duration_text(measured);
  char text[64];
  snprintf(text, sizeof text, "%.10g", measured);
  return text;
}

}  // namespace skein::cli
