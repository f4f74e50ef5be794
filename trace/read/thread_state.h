// What the kernel's scheduler did with the threads of a program: `skein record --sched`, and
// `skein profile --off-cpu`.
#pragma once

#include <cstdint>

#include "trace/read/strings.h"

namespace skein {

enum class ThreadState : uint8_t {
  Unknown,    // switches were lost
  Running,    // on a CPU
  Preempted,  // it could go on, but its CPU runs another thread
  Blocked,    // it waits in the kernel
  Runnable,   // it was woken and waits for a CPU
  Ended,
  Function,  // no new state: it is blocked in the kernel's function `text`
  Stack,     // no new state: of the blocked or preempted thread, `other` is an index into
             // Trace::stacks
};
inline constexpr size_t thread_states = 8;

// The state of a thread from `time` on.
struct ThreadStateChange {
  uint64_t time = 0;  // of the trace, ns; 0 also if it was before
  uint32_t tid = 0;   // 0, if the state is Unknown: all threads
  ThreadState state = ThreadState::Unknown;
  uint32_t other = 0;  // Preempted: the thread that runs; Runnable: which woke it; 0: not known
  uint32_t cpu = 0;    // plus 1; 0: unknown
  StringId text = 0;   // Preempted: the name of `other`; Function: its name; 0: not known
};

}  // namespace skein
