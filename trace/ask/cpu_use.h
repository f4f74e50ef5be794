// How long a thread was on a CPU in an interval, and why not for longer. A task that computes for
// 40 ms may take a second by the clock if other programs are busy.
//
//   const CpuUses uses(trace);
//   if (const auto use = uses.of(run.executor, run.begin, run.end)) print(use->least, use->most);
//
// The recorder reads the thread's CPU time after each pause of some ms (format.h, CpuTime). What
// was used between two readings is known, but not when: hence two bounds. With the kernel's account
// (`skein record --sched`) both are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/model/thread_intervals.h"
#include "trace/read/trace.h"

namespace skein {

struct CpuUse {
  uint64_t least = 0;  // ns on a CPU
  uint64_t most = 0;
  // At most, because these happened between the readings around the interval.
  uint32_t blocked = 0;    // times that it gave up the CPU: for a lock, in a system call
  uint32_t preempted = 0;  // times that it lost the CPU to another thread
  // By the kernel's account; empty: not recorded.
  std::optional<uint64_t> blocked_ns = {};
  uint64_t waited_ns = 0;    // for a CPU
  StringId ran_instead = 0;  // the name of the thread that ran longest instead; 0: not known
};

// Why a thread was not on a CPU for most of an interval.
enum class OffCpu : uint8_t { Blocked, Preempted, Either };
OffCpu reason_off_cpu(const CpuUse& use, uint64_t duration);

class CpuUses {
 public:
  // O(readings + thread states).
  explicit CpuUses(const Trace& trace);

  // Empty: unknown, because there is no reading before the interval or after it. O(log readings),
  // and with the kernel's account O(context switches in the interval).
  std::optional<CpuUse> of(uint32_t executor, uint64_t begin, uint64_t end) const;

 private:
  std::vector<std::vector<CpuTimeReading>> readings_;  // by executor and time
  ThreadIntervals intervals_;
};

}  // namespace skein
