#include "base/byte_size.h"

#include <charconv>

#include "base/text.h"

namespace skein {

std::optional<uint64_t> parse_size(std::string_view text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || end - at > 1) return {};
  if (at == end) return number;
  constexpr std::string_view units = "kKmMgGtT";
  const size_t unit = units.find(*at);
  if (unit == std::string_view::npos) return {};
  const auto shift = 10 * (static_cast<unsigned>(unit) / 2 + 1);
  if (number > UINT64_MAX >> shift) return {};
  return number << shift;
}

std::string size_text(uint64_t bytes) {
  if (bytes < 1024) return counted(bytes, "byte");
  constexpr std::string_view units[] = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  unsigned shift = 10;
  while (shift < 60 && bytes >> shift >= 1024) shift += 10;
  const uint64_t unit = uint64_t{1} << shift;
  const uint64_t whole = bytes / unit;
  const uint64_t tenths = (bytes % unit / 1024 * 10 + unit / 1024 - 1) / (unit / 1024);
  std::string text = std::to_string(whole + (tenths == 10));
  if (whole < 100 && tenths % 10 != 0) text += '.' + std::to_string(tenths);
  return text.append(units[shift / 10 - 1]);
}

}  // namespace skein
