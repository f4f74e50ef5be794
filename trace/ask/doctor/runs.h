// How long tasks run without a suspension.
//
//   for (const Run& run : long_runs(subject, 100'000'000)) print(run.task, run.ran);
//
// Runs of other tasks inside a run do not count, nor do pauses. O(activations + waits).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/ask/cpu_use.h"
#include "trace/ask/waits.h"

namespace skein {

struct Run {
  TaskIndex task = no_index;
  uint64_t begin = 0;
  uint64_t end = 0;  // its suspension, its end, or the end of the trace
  uint64_t ran = 0;  // the time it ran, of that
  uint32_t executor = 0;
  uint32_t location = 0;           // of the suspension; 0: none, or unknown
  std::optional<CpuUse> cpu = {};  // of its thread in that time; empty: unknown
};

// Runs of at least `least` ns.
std::vector<Run> long_runs(const Subject& subject, uint64_t least);

}  // namespace skein
