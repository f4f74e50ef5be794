// The thread that began an operation, if a task still runs there at the end: the operation may have
// completed, and its handler wait for that thread.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/ask/waits.h"

namespace skein {

struct BusyThread {
  TaskIndex task = no_index;  // that has run for 100 ms or more
  uint64_t since = 0;
};

// Empty if there is none, or if the end is unknown. `is_end_known` is that of diagnosis.h.
// O(activations).
std::optional<BusyThread> find_busy_thread(const Subject& subject, TaskIndex operation,
                                           bool is_end_known);

}  // namespace skein
