// The present time of day.
#pragma once

#include <cstdint>
#include <ctime>

namespace skein::cli {

// Nanoseconds since 1970.
inline int64_t utc_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace skein::cli
