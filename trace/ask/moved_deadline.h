// A timer that never expires because another task moves its expiry, or cancels it, each time before
// that: a watchdog that is fed, or a deadline that is moved by mistake.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/ask/diagnosis.h"

namespace skein {

struct MovedDeadline {
  uint64_t count = 0;   // the last waits for the timer that ended before it expired, at one place
  uint32_t cancel = 0;  // index into Model::cancels: the last cancel or move, by a task
};

// The last step of the diagnosis must be an operation. Empty if fewer than three waits ended like
// that, or if a task of the chain or code outside any task did it. O(uses of the timer).
std::optional<MovedDeadline> find_moved_deadline(const Subject& subject, const Diagnosis& d);

}  // namespace skein
