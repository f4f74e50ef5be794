// How long tasks run without a suspension.
//
//   for (const Run& run : long_runs(model, waits, 100'000'000)) print(run.task, run.ran);
//
// What another task ran inside of it does not count, nor do pauses. O(activations + waits).
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct Run {
  TaskIndex task = no_index;
  uint64_t begin = 0;
  uint64_t end = 0;  // when it came to wait, ended, or the trace did
  uint64_t ran = 0;  // of that, itself
  uint32_t executor = 0;
  uint32_t location = 0;  // where it came to wait; 0: it did not, or that is not known
};

// Those that ran for `least` ns and more.
std::vector<Run> long_runs(const Model& model, const Waits& waits, uint64_t least);

}  // namespace skein
