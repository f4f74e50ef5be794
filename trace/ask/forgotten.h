// Tasks that an event of the program has forgotten: when it was set, it woke some of its waiters or
// none, and every task that has awaited it since passed at once.
//
//   await_suspend(h) { waiter_ = h; }  // of several waiters, keeps the last
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct Forgotten {
  uint64_t set = 0;      // when the first task passed
  uint64_t woken = 0;    // tasks that waited, and passed then
  uint64_t at_once = 0;  // tasks that passed at once, and awaited it for the first time
};

// By task: those that have waited for a second since the first pass. Locks, semaphores, queues,
// timers and event loops behave differently: a task passes at once before others wait, or has to
// wait after the first pass, or its wait ends long after it. Empty for objects with
// such a wait; if fewer than three tasks passed at once, at the place where the forgotten ones wait
// and called through the same lines; if the awaiter may be for one of several conditions; and for a
// ring that has overwritten events. O(events + waits).
std::unordered_map<TaskIndex, Forgotten> find_forgotten(const Subject& subject);

}  // namespace skein
