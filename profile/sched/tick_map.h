// From CLOCK_MONOTONIC, the clock of the kernel's records, to the recorder's ticks.
//
// The recorder counts the time stamp counter where it can. Both are read together from time to
// time; between two readings the clock runs evenly (the kernel changes its rate by at most
// 500 ppm). The error is that of a reading, some 20 ns. Rejected: perf's own clock and the formula
// in its page, which the kernel gives only for the native sched_clock, hence not in many guests.
#pragma once

#include <cstdint>
#include <deque>

namespace skein {

class TickMap {
 public:
  struct Pair {
    uint64_t counter = 0;  // of the time stamp counter; 0: it cannot be read
    uint64_t monotonic_ns = 0;
  };

  // Reads both clocks.
  static Pair read();

  // Pairs in order of time.
  void add(Pair pair);
  bool has_counter() const { return !pairs_.empty() && pairs_.back().counter != 0; }

  // The counter at this time. Calls must be in order of time: pairs before it are forgotten.
  // Precondition: two pairs.
  uint64_t counter(uint64_t monotonic_ns);

 private:
  std::deque<Pair> pairs_;
};

}  // namespace skein
