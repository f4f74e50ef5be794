// Deadlocks of locks that the program wrote itself, of timers that never expire and that unlock()
// cancels. The trace does not show that these are locks, or who holds them. A task is taken to hold
// one if it has called the same function before, at another line, and has cancelled nothing since.
//
//   co_await from.lock();  // has returned
//   co_await to.lock();    // waits
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct OwnLockWait {
  TaskIndex operation = no_index;  // on a timer that never expires
  TaskIndex waiter = no_index;     // the task that called the function
  uint32_t passed = Waits::none;   // its wait for an earlier call of the function
  // A task that calls the function has cancelled one of its timers before, as unlock() does. Else
  // it may be an event, of which the first was set before.
  bool was_released = false;
};

// The waits of groups of two or more such tasks, for different timers, if only tasks of their
// function have cancelled the timers that the group used, and all of these that live wait in it: no
// task is left that has ever ended such a wait. By operation. O(waits + functions *
// (tasks + operations + cancels)).
std::vector<OwnLockWait> find_own_locks(const Subject& subject);

}  // namespace skein
