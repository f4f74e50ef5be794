// What a thread had used at some instant, by the kernel's account.
#pragma once

#include <cstdint>

namespace skein {

struct CpuTimeReading {
  uint64_t time = 0;  // of the trace, ns
  uint32_t executor = 0;
  uint64_t cpu = 0;        // ns on a CPU since the thread began
  uint32_t blocked = 0;    // how often it gave up the CPU
  uint32_t preempted = 0;  // how often it lost it
};

}  // namespace skein
