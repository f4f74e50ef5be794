// Samples of the threads of a process where perf_event_open(2) is not permitted, as in many
// containers: by ptrace(2). A thread is stopped for its registers and one copy of its stack.
//
//   StoppingSampler sampler(pid, 16384, false);
//   sampler.sample(2'000'000, [&](const PerfRecord& sample) { use(sample); });   // every
//   millisecond
//
// Only threads that run are stopped. One that begins to wait in the same moment is interrupted, and
// calls that return EINTR then, such as epoll_wait(2), are made again, as if nothing had happened.
// If this process dies, the kernel lets a stopped thread go on.
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
  // `is_child`: of this process, which wants to know how it ends.
  StoppingSampler(uint32_t pid, uint32_t stack_bytes, bool is_child)
      : pid_(pid), is_child_(is_child), stack_(stack_bytes) {}

  // Takes a sample of each thread that runs: its registers, stack and time. They are valid during
  // the call of `use`. The period is the CPU time since the last call, but at most `longest` (ns):
  // after a delay, one sample must not stand for all that happened in it.
  void sample(uint64_t longest, const std::function<void(const PerfRecord&)>& use);

  // Fails if no thread can be traced: no permission, or another program such as a debugger does.
  Result<void> check() const;

  // ns, of each stop since the last call of this function.
  std::vector<uint32_t> take_pauses() { return std::exchange(pauses_, {}); }

 private:
  // False: the thread was not stopped.
  bool copy(pid_t thread, PerfRecord& sample);

  uint32_t pid_;
  bool is_child_;
  std::vector<uint8_t> stack_;
  uint64_t last_ = 0;                       // when the last samples were taken
  std::map<uint64_t, uint64_t> used_ = {};  // CPU time, by thread
  std::vector<uint32_t> pauses_ = {};
};

}  // namespace skein
