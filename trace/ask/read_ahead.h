// A receive that waits for what the task may have read already: async_read_until reads more than it
// returns, into a buffer, and the next operation asks the socket.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct ReadAhead {
  TaskIndex receive = no_index;  // the one before, of the same task and socket
  uint64_t bytes = 0;            // that it has received
};

// `receive` is pending, and `waiter` waits for it. Empty unless the receive before it on the socket
// was begun by the same task at another location, and was the only part of its operation. Empty,
// too, if the receives of that location, or of a third one, always get as many bytes: a program
// that reads a header of fixed size asks for what it needs. `moved` is that of find_moved(). O(uses
// of the socket).
std::optional<ReadAhead> find_read_ahead(const Subject& subject, TaskIndex waiter,
                                         TaskIndex receive, const std::vector<uint64_t>& moved);

}  // namespace skein
