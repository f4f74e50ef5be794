// Coroutines of Asio that another one waits for together: `co_await (a() && b())`, and any
// parallel group of co_spawn()s. The frame of each one's entry point has a std::shared_ptr of the
// group's state, which has the address of the entry point of the coroutine that waits. And one that
// another waits for alone, `co_await co_spawn(.., use_awaitable)`, whose entry point has that of the
// other itself.
//
//   const AsioGroups groups = find_asio_groups(memory, waiters, found, heaps);
//   for (const Join& join : groups.joins) ..
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "frames/heap.h"
#include "frames/memory_cache.h"
#include "frames/suspended_coroutines.h"
#include "frames/waiters.h"

namespace skein {

struct AsioGroups {
  // `child` is the coroutine that an entry point waits for; `parent` the innermost one of the program
  // or of Asio's operators that waits. `counter` is the address of the state; `count` is 0.
  std::vector<Join> joins = {};
  struct Spawn {
    uint32_t operation = 0;  // what waits: Asio's co_spawn(), or the program's coroutine
    uint32_t entry = 0;      // the entry point that it waits for
  };
  std::vector<Spawn> spawns = {};
};

// O(words of frames of entry points), and once the heaps, if there may be a group.
AsioGroups find_asio_groups(MemoryCache& memory, const Waiters& waiters,
                            const SuspendedCoroutines& found,
                            std::span<const std::unique_ptr<Heap>> heaps);

// The type of a group that is none of Asio's operators.
inline constexpr const char* asio_group = "asio::experimental::parallel_group";

}  // namespace skein
