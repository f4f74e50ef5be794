// Pools and event loops all of whose threads run a task for long, while handlers wait for one of
// them. If these tasks have posted the handlers, they may wait for them: a deadlock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct BlockedPool {
  std::string_view context = {};  // "thread_pool"
  size_t threads = 0;             // that have run its handlers; each runs a task for long
  size_t queued = 0;              // handlers that wait for one of them
  size_t posted = 0;              // of these, those that such tasks have created
  TaskIndex first = no_index;     // of those, or else of all
  size_t in_strands = 0;          // handlers that wait for a strand whose handlers they have run
  // Runs, each of which occupies a strand to which the one before has posted a handler, which
  // waits; the first follows the last. Empty: there is no such cycle.
  std::vector<TaskIndex> strands = {};
};

// A task that runs at the end of the trace, and has for long.
struct LastingRun {
  TaskIndex task = no_index;
  uint32_t executor = 0;
};

// `starved`: handlers that could run for long. Of each run the pool of its thread, if all others of
// that pool are in `runs`, too. O(activations + runs * starved).
std::vector<std::optional<BlockedPool>> find_blocked_pools(const Subject& subject,
                                                           std::span<const LastingRun> runs,
                                                           std::span<const TaskIndex> starved);

}  // namespace skein
