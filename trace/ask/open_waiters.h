// Which task waits for which, at the end of the trace, and who of those that took part in an
// operation could do so again.
#pragma once

#include <vector>

#include "trace/ask/waits.h"

namespace skein {

class OpenWaiters {
 public:
  explicit OpenWaiters(const Subject& subject);  // O(waits)

  // A task that waits for this one; no_index: none.
  TaskIndex of(TaskIndex task) const { return waiter_[task]; }
  // Whether a task that took part in `operation`, its parent or a creator of that, is open, and
  // does not wait for `pending`, directly or by other tasks. True if that is unknown.
  bool may_repeat(TaskIndex operation, TaskIndex pending) const;

 private:
  const Model& model_;
  std::vector<TaskIndex> waiter_;  // by task
};

}  // namespace skein
