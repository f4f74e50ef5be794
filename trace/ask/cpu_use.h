// How long a thread was on a CPU in an interval, and why not for longer. A task that computes for
// 40 ms may take a second by the clock if other programs are busy.
//
//   const CpuUses uses(trace);
//   if (const auto use = uses.of(run.executor, run.begin, run.end)) print(use->least, use->most);
//
// The recorder reads the thread's CPU time after each pause of some ms (format.h, CpuTime). What
// was used between two readings is known, but not when: hence two bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/read/trace.h"

namespace skein {

struct CpuUse {
  uint64_t least = 0;  // ns on a CPU
  uint64_t most = 0;
  // At most, because these happened between the readings around the interval.
  uint32_t blocked = 0;    // times that it gave up the CPU: for a lock, in a system call
  uint32_t preempted = 0;  // times that it lost the CPU to another thread
};

// Why a thread was not on a CPU for most of an interval.
enum class OffCpu : uint8_t { Blocked, Preempted, Either };
OffCpu reason_off_cpu(const CpuUse& use, uint64_t duration);

class CpuUses {
 public:
  // O(readings).
  explicit CpuUses(const Trace& trace);

  // Empty: unknown, because there is no reading before the interval or after it. O(log readings).
  std::optional<CpuUse> of(uint32_t executor, uint64_t begin, uint64_t end) const;

 private:
  std::vector<std::vector<CpuTimeReading>> readings_;  // by executor and time
};

}  // namespace skein
