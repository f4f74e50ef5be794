// The counter behind a trace's times: it determines whether two traces share one time axis.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace skein {

// Programs that run in the same boot and read the same counter share it. But each measures the
// counter's frequency itself, and the results differ by about 10 ppb: a microsecond after 100 s.
// Traces that are shown together are therefore read with one frequency (`find_shared`). Then the
// difference of their TraceInfo::start is exact.
//
// A time is floor(start ticks) + floor(ticks since start), hence less than 2 ns too early. A tick
// of skein's format is 16 counts, which take more than 2 ns up to 8 GHz. So rounding never reverses
// the order of two events of different ticks.
struct TickClock {
  std::string boot_id;     // boot since which it counts; empty: unknown, shared with no trace
  std::string source;      // "tsc", "monotonic"
  uint64_t frequency = 0;  // ticks per second, used to compute times; 0: no counter
  uint64_t start = 0;      // ticks at time 0
  // Nanoseconds, by the frequency that the traced program measured at its start: differs between
  // processes. 0: not measured.
  int64_t utc_of_tick_0 = 0;

  // Whether both count the same ticks, regardless of the frequency that each measured.
  bool counts_with(const TickClock& other) const {
    if (boot_id.empty() || boot_id != other.boot_id || source != other.source) return false;
    // Measured values differ by less than 1 in 10,000; a larger difference means an edited file.
    const uint64_t more = frequency > other.frequency ? frequency : other.frequency;
    const uint64_t less = frequency > other.frequency ? other.frequency : frequency;
    return less != 0 && more - less <= less / 10'000;
  }
  // Whether the difference of their times is exact.
  bool is_same_axis(const TickClock& other) const {
    return counts_with(other) && frequency == other.frequency;
  }
};

// Returns the first of `clocks` that counts the same ticks; null if there is none.
inline const TickClock* find_shared(std::span<const TickClock> clocks, const TickClock& clock) {
  for (const TickClock& one : clocks)
    if (one.counts_with(clock)) return &one;
  return nullptr;
}

}  // namespace skein
