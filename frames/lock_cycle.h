// Coroutines that wait for each other, where locks or joins are between them.
#pragma once

#include <cstdint>
#include <vector>

#include "frames/suspended_coroutines.h"

namespace skein {

// Coroutines that wait for each other, by way of what they await, of what holds their locks, and of
// those that one waits for together: it needs all of them.
struct LockCycle {
  uint32_t length = 0;                   // steps until it is closed; 0: there is none
  bool contains_it = false;              // false: the coroutine waits for one that is in the cycle
  bool has_join = false;                 // one of them waits for several together
  bool may_run = false;                  // one of them: SuspendedCoroutine::may_run
  WaitObject::Certainty certainty = {};  // of all steps, if none of them runs
  std::vector<uint32_t> joined_members = {};  // if it has a join: the coroutines in it
};
// From a coroutine; of several cycles, the most certain one that contains it. Looks at 1000
// coroutines at most.
LockCycle find_lock_cycle(const SuspendedCoroutines& found, uint32_t coroutine);

}  // namespace skein
