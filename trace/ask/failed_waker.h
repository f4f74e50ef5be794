// A wait for a timer, as for a condition, at a place where other calls of one function have ended
// all such waits: by a cancel after the same await. A call that failed in that await has cancelled
// nothing.
//
//   while (!flight->done) co_await flight->ready.async_wait();  // the others
//   flight->value = co_await fetch();                           // throws
//   flight->ready.cancel();
//
// The timers are different objects: only their places are compared.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/ask/waits.h"

namespace skein {

struct FailedWaker {
  TaskIndex like = no_index;    // the last task that ended such a wait
  uint64_t count = 0;           // such waits that have ended
  uint32_t location = 0;        // of the await after which it did
  TaskIndex failed = no_index;  // the last task of its function that failed in that await
  uint64_t others = 0;          // more that did
};

// `operation` is a pending wait for a timer. Empty unless at least three waits for timers at its
// place have been cancelled, all of them by tasks of one function after one await. O(tasks +
// cancels).
std::optional<FailedWaker> find_failed_waker(const Subject& subject, TaskIndex operation);

}  // namespace skein
