// The stream of `thread_state` events: what the kernel's scheduler did with the program's threads.
#pragma once

#include <vector>

#include "trace/read/ctf/stream.h"

namespace skein::ctf {

// Appends the events of these packets to Trace::thread_states, those up to `until` (ticks). Sorts
// the packets. Damage, gaps and events that the kernel or the writer dropped become losses.
// Precondition: Context::start is known.
void read_sched(std::vector<StreamPacket>& packets, uint64_t until, Context& context);

}  // namespace skein::ctf
