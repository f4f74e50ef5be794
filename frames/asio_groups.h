// Coroutines of Asio that another one waits for together: `co_await (a() && b())`, and any
// parallel group of co_spawn()s. The frame of each one's entry point has the address of the group's
// state, which has that of the entry point of the coroutine that waits.
//
//   for (const Join& join : find_asio_groups(memory, waiters, found)) ..
#pragma once

#include <vector>

#include "frames/memory_cache.h"
#include "frames/suspended_coroutines.h"
#include "frames/waiters.h"

namespace skein {

// `child` is the coroutine that an entry point waits for; `parent` the innermost one of the program
// or of Asio's operators that waits. `counter` is the address of the state; `count` is 0. O(words
// of frames of entry points).
std::vector<Join> find_asio_groups(MemoryCache& memory, const Waiters& waiters,
                                   const SuspendedCoroutines& found);

}  // namespace skein
