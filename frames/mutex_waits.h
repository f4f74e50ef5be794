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

// The waits of the threads of a process, and the cycles of threads that wait for each other's
// mutexes, each for the next one's and the last one for the first one's: deadlocks. A thread waits
// for one mutex, and a mutex has one holder, so that no two cycles have a thread in common.
//
//   const MutexWaits waits(find_mutex_waits(target, threads));
//   for (const std::vector<uint64_t>& cycle : waits.cycles()) print_deadlock(cycle);
class MutexWaits {
 public:
  MutexWaits() = default;
  // Of several waits of one thread, as a damaged snapshot may have, the first one counts.
  // O(waits * log waits).
  explicit MutexWaits(std::vector<MutexWait> waits);

  std::span<const MutexWait> all() const { return waits_; }  // by thread
  // Null: the thread waits for no mutex whose holder is known. O(log waits).
  const MutexWait* of(uint64_t thread) const;

  // Each from its lowest id on, by that; without waits that have a time limit.
  std::span<const std::vector<uint64_t>> cycles() const { return cycles_; }
  // Null: the thread is in no cycle, or not for certain. O(log waits).
  const std::vector<uint64_t>* cycle_of(uint64_t thread) const;

 private:
  void find_cycles();

  std::vector<MutexWait> waits_ = {};
  std::vector<std::vector<uint64_t>> cycles_ = {};
  std::vector<uint32_t> cycle_of_ = {};  // of each wait: into cycles_; `none`
};

}  // namespace skein
