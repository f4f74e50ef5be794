// The recorder's clock: a count that never goes back, in ticks of 16 counts.
//
// The time stamp counter where it is invariant (about 10 ns, no call), else whatever count the host
// gives (clock_gettime: 22 ns). Which one is said in the trace's metadata. No serialising form
// (rdtscp, lfence): it would double the cost of an event for an order the commit does not need.
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
  // 24 to 1000 MHz: finer than a tick is not to be had, and coarser must not become 16 times so.
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
