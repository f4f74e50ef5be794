// Where one run took longer than another, by groups of similar tasks.
//
//   const std::vector<TimingDifference> all = timing_differences(good, bad, aligned);
//   const uint64_t whole = sum_of(all);
//   for (const TimingDifference& d : all) print(d, d.size() / double(whole));
//
// Time counts once. While a task waits for another task, the time belongs to the other. The self
// time of a task is its running time, its runnable time, and its waits for resources and external
// events (timers, reads). Compares only tasks that exist in both runs and ended in both. O(tasks +
// activations + waits).
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ask/align.h"

namespace skein {

struct TimingDifference {
  struct Sums {
    uint64_t running = 0;  // ns
    uint64_t ready = 0;
    uint64_t blocked = 0;
    uint64_t all() const { return running + ready + blocked; }
  };
  TaskIndex first = no_index;  // of the group, in the good run
  uint64_t count = 0;
  Sums good = {};
  Sums bad = {};

  // Absolute, ns.
  uint64_t size() const {
    return good.all() < bad.all() ? bad.all() - good.all() : good.all() - bad.all();
  }
};

// The largest first; omits groups without a difference.
std::vector<TimingDifference> timing_differences(const Subject& good, const Subject& bad,
                                                 const Alignment& aligned);

// The sum of their sizes, for computing shares.
uint64_t sum_of(const std::vector<TimingDifference>& differences);

}  // namespace skein
