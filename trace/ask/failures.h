// Tasks that failed, and whose error no task has read. It is lost if it reached code that drops it,
// such as co_spawn() with `detached`. Otherwise, what is no task may have read it, and no event
// shows that: a completion handler of co_spawn(), a future, main() after sync_wait(), a function
// that takes the result of when_all().
//
//   for (const UnreadFailure& f : unread_failures({trace, model, waits}))
//     print(model.tasks[f.task].reason, f.count);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

// Tasks that wait since the failure.
struct Unserved {
  TaskIndex first = no_index;   // its chain ends at the object
  size_t tasks = 0;             // it and others
  uint64_t since = 0;           // when it began to wait
  TaskIndex server = no_index;  // the failed task, the only one that had ended such waits
  TaskIndex last = no_index;    // what it did so last: an operation, or a task that it called
  uint32_t last_location = 0;
};

struct UnreadFailure {
  TaskIndex task = no_index;  // the first of its group
  uint64_t count = 0;         // of the same name, place and reason
  // The task that failed first, whose failure the others passed on; else `task`.
  TaskIndex origin = no_index;
  bool is_dropped = false;  // by code that drops it
  // An operation had failed with this error, or the task had received something: the cause may be a
  // peer. A program may well try something with a peer and go on if that fails, and a session may
  // end with an exception if it gets nonsense.
  bool may_be_of_peer = false;
  // Its loss has stopped others. add_unserved() sets it (trace/ask/unserved.h).
  std::optional<Unserved> unserved = {};

  bool is_error() const { return (is_dropped && !may_be_of_peer) || unserved; }
};

// By the time of the first. Only tasks with code of their own: an operation reports its error to
// its handler. Omits what ends many sessions: a peer that closed the connection, a cancellation.
// O(tasks + waits + interactions + groups * different errors of operations).
std::vector<UnreadFailure> unread_failures(const Subject& subject);

}  // namespace skein
