#include "base/duration.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace skein {

namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
  text = trimmed(text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {};
  text = trimmed(text.substr(static_cast<size_t>(end - text.data())));
  // Both the micro sign and the Greek letter mu are accepted.
  constexpr std::pair<std::string_view, double> units[] = {
      {"", 1e9},        {"s", 1e9}, {"ms", 1e6},   {"us", 1e3},   {"\u00b5s", 1e3},
      {"\u03bcs", 1e3}, {"ns", 1},  {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
  for (const auto& [unit, ns] : units)
    if (text == unit && std::isfinite(number * ns)) return number * ns;
  return {};
}

}  // namespace skein
