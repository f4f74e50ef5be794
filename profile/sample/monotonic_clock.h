// The clock of samples (perf_event_attr::use_clockid), and of pauses between them.
#pragma once

#include <cstdint>
#include <ctime>

namespace skein {

// CLOCK_MONOTONIC, in ns. 30 ns.
inline uint64_t monotonic_ns() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace skein
