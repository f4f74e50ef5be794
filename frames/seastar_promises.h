// The promises of Seastar that coroutines wait for. The coroutine has a future in its frame, which
// has the address of a promise; the promise has those of the future, of the state behind it, and of
// the task to run, which is the promise object of the coroutine (future.hh, coroutine.hh):
//
//   frame {.., its promise, .., future {promise, state}}    promise {future, state, task}
//
// The promise is in the frame of another coroutine, which is awaited, or belongs to a semaphore, a
// condition variable, a gate, a continuation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "frames/memory_cache.h"
#include "symbol/frame_layout.h"

namespace skein {

// Whether the word at `slot` of the frame is the address of a promise for which it waits.
bool leads_to_seastar_promise(MemoryCache& memory, uint64_t frame, uint64_t slot, uint64_t word);

struct PromiseOwner {
  uint64_t address = 0;
  std::string type = {};
};
// The object that the promise belongs to, if the frame has its address: by the type in debug
// information. Nothing: unknown. O(members + waiters).
std::optional<PromiseOwner> owner_of_promise(MemoryCache& memory, std::span<const uint64_t> frame,
                                             const FrameLayout& layout, uint64_t promise);

}  // namespace skein
