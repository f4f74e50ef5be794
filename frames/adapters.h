// Coroutines that folly puts between one that waits and what it waits for, to resume it on its
// executor (ViaIfAsync.h) and to keep its stack (WithAsyncStack.h). What is awaited has the handle
// of the adapter, which has not started; its promise has the handle of the one that waits.
//
//   Adapters adapters(memory, found);
//   adapters.waiters()[i]   // the coroutine that waits with `i`
//
// An adapter that has ended has handed the other to its executor.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "frames/memory_cache.h"
#include "frames/suspended_coroutines.h"

namespace skein {

// `name` is demangled.
bool is_adapter(std::string_view name);

class Adapters {
 public:
  // Precondition: `found` has functions, and coroutines by frame. O(adapters).
  Adapters(MemoryCache& memory, const SuspendedCoroutines& found);

  // By coroutine; SuspendedCoroutine::none: it is no adapter. Empty: there are none.
  std::span<const uint32_t> waiters() const { return waiters_; }

  // Sets `awaited` of those that wait for their executor.
  void add_executors(MemoryCache& memory, SuspendedCoroutines& found) const;

 private:
  std::vector<uint32_t> waiters_ = {};
};

}  // namespace skein
