// Channels whose readers all wait to send to them, or whose senders all wait to receive: the
// workers of a queue that put more work into it than it can hold. The readers may also wait to send
// to another channel, whose readers wait to send to the first: a batch that sends all jobs before
// it reads a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "trace/ask/waits.h"

namespace skein {

struct FedChannel {
  size_t tasks = 0;           // that could complete the operation, as they have done others
  TaskIndex last = no_index;  // the last of those operations
  // If they wait for another channel: one of their operations. no_index: for the same channel.
  TaskIndex next = no_index;
  // The tasks have ended. One of the same function and place of creation, which has not: it waits
  // as well. no_index: they have not ended.
  TaskIndex successor = no_index;
  uint64_t since = 0;  // when the last of all these tasks began to wait
};

// `operation` is pending. Empty unless it uses a channel, at least one task has done the opposite
// with that channel, and every task that has done so waits for the same as `operation`: for that
// channel or, if `operation` sends, to send to another of which the same is true. For a task that
// has ended, those of the same function and place of creation must wait like that, and there must
// be one. Empty if a ring may have overwritten others, or if one of the tasks has set a timer, which
// may cancel the operation. If `operation` receives, also empty if more has been received from the
// channel than the tasks have sent, or if a task that has received does something else now: it may
// send. O(uses of the channels + tasks).
std::optional<FedChannel> find_fed_channel(const Subject& subject, TaskIndex operation);

}  // namespace skein
