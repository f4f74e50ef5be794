#pragma once
#include <cstdint>

namespace skein {

// Returns the largest multiple of `step` that is at most `value`.
inline int64_t floor_to(int64_t value, int64_t step) {
  const int64_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

}  // namespace skein
