// A comparison of the trace's clock with another: what the value of a Clock event refers to.
#pragma once

#include <cstdint>

namespace skein {

struct ClockReading {
  uint32_t domain = 0;   // number of the other clock
  int64_t ahead = 0;     // nanoseconds by which the other clock is ahead
  uint64_t bracket = 0;  // nanoseconds by which `ahead` may be wrong
};

}  // namespace skein
