// Bytes that one end of a connection has sent and the other has not received, although it waits for
// them: both ends are sockets of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/ask/traffic.h"
#include "trace/ask/waits.h"

namespace skein {

struct OnTheirWay {
  uint64_t bytes = 0;  // unless calls that are not in the trace have read them
  // The task that runs at the end, for 100 ms or more, on the thread that began the receive;
  // no_index: there is none, or the end is unknown.
  TaskIndex busy = no_index;
  uint64_t busy_since = 0;
};

// `receive` is pending. `own` and `other` are the traffic of its socket and of the other end. Empty
// if nothing is on its way, or if events are lost. `is_end_known` is that of why.h. O(activations).
std::optional<OnTheirWay> find_on_their_way(const Subject& subject, TaskIndex receive,
                                            const Traffic& own, const Traffic& other,
                                            bool is_end_known);

}  // namespace skein
