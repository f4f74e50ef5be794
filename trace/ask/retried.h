// Calls that wait for a timer in a loop, as for a condition that is checked after each cancel.
//
//   while (free_ < n) co_await changed_.async_wait(...);  // woken, and waits again
#pragma once

#include <cstdint>
#include <optional>

#include "trace/ask/waits.h"

namespace skein {

struct Retried {
  uint64_t count = 0;   // waits in a row before the last, at its place and for its timer
  uint64_t others = 0;  // tasks of the same function that ended after the first of these
};

// `task` waits for an operation of an object, such as a timer. Empty if it has waited there less
// than three times in a row. O(tasks + its waits).
std::optional<Retried> find_retried(const Subject& subject, TaskIndex task);

}  // namespace skein
