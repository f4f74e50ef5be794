// The counter that a trace's times come from: what decides whether two traces share one time axis.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace skein {

// Programs that run since the same boot and read the same counter share it, but each measures the
// counter's frequency itself, and the results differ by about 10 ppb: a microsecond after 100 s.
// Traces that are shown together are therefore read with one frequency (`find_shared`). Then the
// difference of their TraceInfo::start is exact.
//
// A time is floor(start ticks) + floor(ticks since start), hence less than 2 ns early. A tick of
// our format is 16 counts, which are more than 2 ns up to 8 GHz. So rounding never reverses the
// order of two events of different ticks.
struct TickClock {
  std::string boot_id;     // the boot since which it counts; empty: unknown, shared with no trace
  std::string source;      // "tsc", "monotonic"
  uint64_t frequency = 0;  // ticks per second, with which times were computed; 0: no counter
  uint64_t start = 0;      // ticks at time 0
  // Nanoseconds by the trace's own frequency, as its program measured it when it began: differs
  // between processes. 0: not measured.
  int64_t utc_of_tick_0 = 0;

  // Do both count the same ticks, whatever each measured their frequency to be?
  bool counts_with(const TickClock& other) const {
    if (boot_id.empty() || boot_id != other.boot_id || source != other.source) return false;
    // Measured values differ by less than 1 in 10,000; others are of an edited file.
    const uint64_t more = frequency > other.frequency ? frequency : other.frequency;
    const uint64_t less = frequency > other.frequency ? other.frequency : frequency;
    return less != 0 && more - less <= less / 10'000;
  }
  // Is the difference of their times exact?
  bool is_same_axis(const TickClock& other) const {
    return counts_with(other) && frequency == other.frequency;
  }
};

// The first of `clocks` that counts the same ticks; null: none.
inline const TickClock* find_shared(std::span<const TickClock> clocks, const TickClock& clock) {
  for (const TickClock& one : clocks)
    if (one.counts_with(clock)) return &one;
  return nullptr;
}

}  // namespace skein
