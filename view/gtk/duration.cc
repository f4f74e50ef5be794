#include "view/gtk/duration.h"

#include <charconv>
#include <cmath>

namespace skein::desktop {

std::optional<uint64_t> parse_duration(std::string_view text) {
  const auto trim = [&] {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  };
  trim();
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || !(value >= 0)) return {};
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  trim();
  double unit = 0;
  if (text.empty() || text == "ns") unit = 1;
  if (text == "us" || text == "µs" || text == "μs") unit = 1e3;
  if (text == "ms") unit = 1e6;
  if (text == "s") unit = 1e9;
  if (text == "min") unit = 60e9;
  if (unit == 0 || value * unit > 9e18) return {};
  return static_cast<uint64_t>(std::llround(value * unit));
}

}  // namespace skein::desktop
