// A relay of which one half has ended: a task has copied from one socket to another until the end
// of the first, and the task that copies the other way waits on.
#pragma once

#include <optional>

#include "trace/ask/waits.h"

namespace skein {

struct EndedRelay {
  TaskIndex task = no_index;     // has sent to the socket that the waiter receives from
  TaskIndex receive = no_index;  // its last one, which ended with End of file
};

// `receive` is pending, and `waiter` waits for it. The task found has ended, and was created by the
// same task as the waiter. O(operations).
std::optional<EndedRelay> find_ended_relay(const Subject& subject, TaskIndex waiter,
                                           TaskIndex receive);

}  // namespace skein
