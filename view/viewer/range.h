// Statistics of an interval of one trace.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/model/model.h"

namespace skein {

struct RangeStatistics {
  uint64_t created = 0;  // tasks, without resources
  uint64_t ended = 0;
  uint64_t failed = 0;
  uint64_t alive = 0;  // tasks live at any time of the range
  uint64_t activations = 0;
  uint64_t paused = 0;                                     // ns
  std::vector<uint64_t> running = {};                      // ns, by executor
  std::array<uint64_t, 6> interactions = {};               // by Model::Link
  std::vector<std::pair<int64_t, int64_t>> counters = {};  // values before the range and at its end
};

// Counts events at or after `from` and before `to`, in ns of this trace.
RangeStatistics measure(const Trace& trace, const Model& model, double from, double to);

}  // namespace skein
