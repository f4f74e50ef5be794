// Calls of a function that ended without the cancel of a timer that its other calls made before
// their end: a permit that one branch does not return.
//
//   co_await pool.acquire();             // waits for a timer that release() cancels
//   if (answer == "ERR") co_return {};
//   pool.release();
#pragma once

#include <optional>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct Unreturned {
  TaskIndex like = no_index;       // the last task that cancelled the timer
  uint64_t count = 0;              // tasks of its function that did, and have ended
  std::vector<TaskIndex> without;  // those that ended without; by their end
};

// `operation` is a pending wait for a timer, `callers` are the tasks that wait for it. Empty unless
// one of `callers` is of the function whose tasks cancel the timer, at least five did, at least one
// and at most a quarter did not, and all of those had called what that caller waits in. O(tasks +
// cancels + waits of those).
std::optional<Unreturned> find_unreturned(const Subject& subject, TaskIndex operation,
                                          const std::vector<TaskIndex>& callers);

}  // namespace skein
