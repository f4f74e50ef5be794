// The samples of a trace by logical stack: the tasks that awaited the sampled one, then the
// functions of the sample.
//
//   const LogicalSamples samples = find_logical_samples(subject, times, {});
//   flame_svg(samples.tree, {.unit = "samples"});
//
// The task of a sample is the one that was current on its thread. A sample outside any task has
// only its functions. Of those of a task, the ones that called it (an event loop) are omitted, if
// its function is among them.
#pragma once

#include <cstdint>

#include "trace/ask/logical_times.h"

namespace skein {

struct LogicalSamples {
  StackTree tree = {};  // weights are numbers of samples
  uint64_t in_tasks = 0;
  uint64_t outside = 0;
  uint64_t other_tasks = 0;  // the sample names another task than the one that was current
  std::vector<uint8_t> tasks = {};  // by TaskIndex: sampled in the frame of `path`
};

// `times` of the same subject; the states of the selection are ignored. Siblings of less than
// `least_share` are not in the tree. `path`: the names from the outermost frame to one. O(events +
// intervals).
LogicalSamples find_logical_samples(const Subject& subject, const LogicalTimes& times,
                                    const LogicalSelection& selection, double least_share = 0,
                                    std::span<const std::string> path = {});

}  // namespace skein
