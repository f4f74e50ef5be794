#include "base/percent.h"

#include <cmath>
#include <cstdint>

namespace skein {

std::string percent_text(double part, double whole) {
  const auto tenths = whole > 0 ? static_cast<int64_t>(std::llround(part / whole * 1000)) : 0;
  return std::to_string(tenths / 10).append(".").append(std::to_string(tenths % 10)).append(" %");
}

}  // namespace skein
