// The tree of one selection of logical_times.h, at once: intervals are not stored.
//
//   const SelectedTimes times = find_selected_times(subject, {.states = {.running = true}});
//   const std::string svg = flame_svg(times.tree, {.unit = "ns"});
#pragma once

#include "trace/ask/logical_times.h"

namespace skein {

struct SelectedTimes {
  StackTree tree = {};      // as of logical_tree(), complete
  uint64_t unfinished = 0;  // as LogicalTimes::unfinished
};

// O(events).
SelectedTimes find_selected_times(const Subject& subject, const LogicalSelection& selection);

}  // namespace skein
