// Which threads wait for a mutex of the C library, and which threads hold it: std::mutex,
// pthread_mutex_t and those of C.
//
//   for (const MutexWait& wait : find_mutex_waits(target, target.threads()))
//     print(wait.thread, wait.holder);
//
// glibc writes the holder's thread id into its mutex, and a thread that has to wait sleeps in
// futex(2) at the mutex's address, while the first word is 2 (nptl/lowlevellock.h). Condition
// variables, semaphores and futexes of the program have other words, or no thread's id behind them.
// Not found: mutexes that are robust, inherit priorities or are elided; those of other C libraries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "target/target.h"

namespace skein {

struct MutexWait {
  uint64_t thread = 0;
  uint64_t holder = 0;     // a thread of the process, perhaps the same one
  uint64_t mutex = 0;      // its address
  bool has_limit = false;  // pthread_mutex_timedlock(): the wait ends by itself
};

// In the order of `threads`, those of `target` from just before, by ids. Reads these again if any
// waits, and leaves out those that have run since: so all of these waits were there at once. Only on
// x86-64. O(threads * log threads).
std::vector<MutexWait> find_mutex_waits(const Target& target,
                                        std::span<const TargetThread> threads);

// Null: the thread waits for no mutex whose holder is known. O(waits).
const MutexWait* mutex_wait_of(std::span<const MutexWait> waits, uint64_t thread);

// The threads that wait for each other's mutexes, each for the next one's and the last one for the
// first one's, from `thread` on: a deadlock. Empty: it is in no such cycle, or not for certain.
// O(waits * length).
std::vector<uint64_t> mutex_cycle_of(std::span<const MutexWait> waits, uint64_t thread);

}  // namespace skein
