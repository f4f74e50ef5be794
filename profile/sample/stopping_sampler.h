// Samples of the threads of a process where perf_event_open(2) is not permitted, as in many
// containers: by ptrace(2). A thread is stopped for its registers and one copy of its stack.
//
//   StoppingSampler sampler(pid, 1'000'000, 16384, false);
//   if (Result<void> begun = sampler.begin(); !begun) return begun.error();
//   sampler.sample([&](const PerfRecord& sample) { use(sample); });   // every millisecond
//
// Only threads that run are stopped. One that begins to wait in the same moment is interrupted, and
// calls that return EINTR then, such as epoll_wait(2), are made again, as if nothing had happened.
// If this process dies, the kernel lets a stopped thread go on.
//
// A sample stands for the CPU time of its thread since the one before it, also if the thread waited
// at the times in between. After a delay, the samples that follow share that time. What is left at
// the end, such as the time of threads that no sample has met, is in no sample: sampled_ns().
//
// All calls must be made by one thread. Processes that this one starts are not followed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/result.h"
#include "profile/perf/perf_record.h"

namespace skein {

class StoppingSampler {
 public:
  // `interval`: ns, at which sample() will be called. `is_child`: of this process, which wants to
  // know how it ends.
  StoppingSampler(uint32_t pid, uint64_t interval, uint32_t stack_bytes, bool is_child)
      : pid_(pid), interval_(interval), is_child_(is_child), stack_(stack_bytes) {}

  // Counts the CPU time from now on. Fails if no thread can be traced: no permission, or another
  // program such as a debugger does.
  Result<void> begin();

  // Takes a sample of each thread that runs: its registers, stack and time. They are valid during
  // the call of `use`.
  void sample(const std::function<void(const PerfRecord&)>& use);

  // The sum of all periods, in ns.
  uint64_t sampled_ns() const { return sampled_; }

  // ns, of each stop since the last call of this function.
  std::vector<uint32_t> take_pauses() { return std::exchange(pauses_, {}); }

 private:
  // False: the thread was not stopped.
  bool copy(pid_t thread, PerfRecord& sample);

  struct Thread {
    uint64_t used = 0;       // CPU time
    uint64_t unsampled = 0;  // the part that no sample stands for yet
  };
  // What a thread has used since the last look at it, in ns. Nothing: it has not run.
  uint64_t look_at(uint64_t thread, uint64_t passed);

  uint32_t pid_;
  uint64_t interval_;
  bool is_child_;
  std::vector<uint8_t> stack_;
  uint64_t last_ = 0;                       // when the last samples were taken
  uint64_t sampled_ = 0;
  std::map<uint64_t, Thread> threads_ = {};
  std::vector<uint32_t> pauses_ = {};
};

}  // namespace skein
