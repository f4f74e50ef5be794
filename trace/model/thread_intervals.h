// What the kernel did with each thread, as intervals: on a CPU, preempted, blocked, runnable.
//
//   const ThreadIntervals intervals(trace);
//   for (const ThreadInterval& one : intervals.of(executor)) use(one);
//
// Only traces of `skein record --sched`, `skein sched` and `skein profile --off-cpu` have them.
// Without the kernel's wake-ups (tracefs) there is no interval Runnable: the wait for a CPU is the
// end of Blocked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/read/trace.h"

namespace skein {

struct ThreadInterval {
  uint64_t begin = 0;  // ns of the trace
  uint64_t end = 0;
  uint32_t tid = 0;
  ThreadState state = ThreadState::Unknown;  // none of Unknown, Ended, Function, Stack
  uint32_t other = 0;                        // as in ThreadStateChange
  uint32_t cpu = 0;                          // plus 1, the last known; 0: unknown
  StringId name = 0;                         // of `other`
  StringId function = 0;                     // Blocked: the kernel's; 0: not known
  uint32_t stack = no_stack;                 // Blocked, Preempted: index into Trace::stacks

  static constexpr uint32_t no_stack = UINT32_MAX;  // not known
};

// Sums of a part of a thread's time, ns.
struct ThreadTimes {
  uint64_t running = 0;
  uint64_t preempted = 0;
  uint64_t blocked = 0;
  uint64_t runnable = 0;
  uint64_t unknown = 0;

  uint64_t waited_for_cpu() const { return preempted + runnable; }
};

class ThreadIntervals {
 public:
  ThreadIntervals() = default;
  // The last interval of a thread ends with the trace. O(changes).
  explicit ThreadIntervals(const Trace& trace);

  bool empty() const { return intervals_.empty(); }
  bool has_wakeups() const { return has_wakeups_; }
  bool has_stacks() const { return has_stacks_; }

  // By thread, then time.
  std::span<const ThreadInterval> all() const { return intervals_; }
  // Those of one executor's thread, in order; empty: not known. O(1).
  std::span<const ThreadInterval> of(uint32_t executor) const;
  // The intervals that overlap begin .. end. O(log intervals).
  std::span<const ThreadInterval> of(uint32_t executor, uint64_t begin, uint64_t end) const;
  // Empty: nothing is known of this interval.
  std::optional<ThreadTimes> times(uint32_t executor, uint64_t begin, uint64_t end) const;
  // The name of the thread that ran longest while this one was preempted; 0: not known.
  StringId ran_instead(uint32_t executor, uint64_t begin, uint64_t end) const;
  // The executor of a thread; executors().size(): none.
  uint32_t executor(uint32_t tid) const;

 private:
  struct Thread {
    uint32_t tid;
    uint32_t executor;
    size_t first;  // of its intervals
    size_t last;   // behind them
  };
  std::vector<ThreadInterval> intervals_ = {};
  std::vector<Thread> threads_ = {};        // by tid
  std::vector<uint32_t> of_executor_ = {};  // index into threads_; UINT32_MAX: none
  bool has_wakeups_ = false;
  bool has_stacks_ = false;
};

}  // namespace skein
