// Coroutines of Asio that another one waits for together: `co_await (a() && b())`, and any
// parallel group of co_spawn()s. The frame of each one's entry point has the address of the group's
// state, which has that of the entry point of the coroutine that waits. And one that another waits
// for alone, `co_await co_spawn(.., use_awaitable)`, whose entry point has that of the other itself.
//
//   const AsioGroups groups = find_asio_groups(memory, waiters, found);
//   for (const Join& join : groups.joins) ..
#pragma once

#include <vector>

#include "frames/memory_cache.h"
#include "frames/suspended_coroutines.h"
#include "frames/waiters.h"

namespace skein {

struct AsioGroups {
  // `child` is the coroutine that an entry point waits for; `parent` the innermost one of the program
  // or of Asio's operators that waits. `counter` is the address of the state; `count` is 0.
  std::vector<Join> joins = {};
  struct Spawn {
    uint32_t operation = 0;  // the coroutine that waits with co_spawn()
    uint32_t entry = 0;      // the entry point that it waits for
  };
  std::vector<Spawn> spawns = {};
};

// O(words of frames of entry points).
AsioGroups find_asio_groups(MemoryCache& memory, const Waiters& waiters,
                            const SuspendedCoroutines& found);

// The type of a group that is none of Asio's operators.
inline constexpr const char* asio_group = "asio::experimental::parallel_group";

}  // namespace skein
