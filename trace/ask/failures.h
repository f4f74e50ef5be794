// Tasks that failed, and whose error no task has read: an exception that leaves a detached
// coroutine is lost. But what is no task may have read it, and no event shows that: a completion
// handler of co_spawn(), a future, main() after sync_wait(), a function that takes the result of
// when_all().
//
//   for (const UnreadFailure& f : unread_failures({trace, model, waits}))
//     print(model.tasks[f.task].reason, f.count);
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct UnreadFailure {
  TaskIndex task = no_index;  // the first of its group
  uint64_t count = 0;         // of the same name, place and reason
  // The task that failed first, whose failure the others passed on; else `task`.
  TaskIndex origin = no_index;
};

// By the time of the first. Only tasks with code of their own: an operation reports its error to
// its handler. Omits what ends many sessions: a peer that closed the connection, a cancellation.
// O(tasks + waits + interactions).
std::vector<UnreadFailure> unread_failures(const Subject& subject);

}  // namespace skein
