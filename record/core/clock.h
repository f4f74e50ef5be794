// The recorder's clock: a monotonic count, in ticks of 16 counts.
//
// The time stamp counter if it is invariant (about 10 ns, no call), else a count that the host
// reads (clock_gettime: 22 ns). The metadata of the trace names the source. Rejected: the
// serialising forms (rdtscp, lfence), which double the cost of an event for an order that the
// commit does not need.
#pragma once
#include <skein/format.h>
#include <stdint.h>

namespace skein::record {

using ReadCounter = uint64_t (*)();  // a host's clock, in counts; null: the time stamp counter

inline uint64_t read_tsc() {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  // 24 to 1000 MHz: no finer than a tick, so the shift of read_ticks must not make it coarser.
  return count << format::kTickShift;
#else
  return 0;
#endif
}

inline uint64_t read_ticks(ReadCounter counter) {
  if (counter != nullptr) [[unlikely]]
    return counter() >> format::kTickShift;
  return read_tsc() >> format::kTickShift;
}

}  // namespace skein::record
