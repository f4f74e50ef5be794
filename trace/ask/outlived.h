// Tasks that outlive those that were created with them: each time a function creates two tasks,
// one ends and the other never does, as a timer of a connection that stays when it is closed.
#pragma once

#include <optional>

#include "trace/ask/waits.h"

namespace skein {

struct Outlived {
  uint64_t count = 0;            // tasks of this place in the trace, none of which has ended
  TaskIndex sibling = no_index;  // one that was created with one of them, and has ended
  uint64_t ended = 0;            // siblings of its place that have ended
};

// Of the tasks that were created where `task` was. Empty if one of them has ended, if there are
// fewer than 20, or if fewer than nine of ten siblings have ended. O(tasks).
std::optional<Outlived> find_outlived(const Trace& trace, const Model& model, TaskIndex task);

}  // namespace skein
