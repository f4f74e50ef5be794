// Channels whose readers all wait to send to them, or whose senders all wait to receive: the
// workers of a queue that put more work into it than it can hold.
#pragma once

#include <cstddef>
#include <optional>

#include "trace/ask/waits.h"

namespace skein {

struct FedChannel {
  size_t tasks = 0;           // that could complete the operation, as they have done others
  TaskIndex last = no_index;  // the last of those operations
};

// `operation` is pending. Empty unless it uses a channel, at least one task has done the opposite
// with that channel, and every task that has done so waits for the same as `operation`. Empty if a
// ring may have overwritten others. O(uses of the channel).
std::optional<FedChannel> find_fed_channel(const Subject& subject, TaskIndex operation);

}  // namespace skein
