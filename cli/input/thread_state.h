// What a thread of a running process is doing, as the kernel shows it in /proc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/read/trace.h"

namespace skein::cli {

// The rest of a sentence that begins with "its thread": "sleeps (hrtimer_nanosleep)". `tid` is the
// number of the thread in the innermost pid namespace of the process, as in its trace. Empty if
// there is no such thread, or /proc does not show what it waits for.
std::string thread_state(const std::string& pid, uint64_t tid);

// Adds what the threads of the process have used up to now (`time`, of the trace) to
// Trace::cpu_times. The kernel's account may lack the current tick, some ms.
void add_cpu_times(const std::string& pid, uint64_t time, Trace& trace);

// The same from the state letter of /proc/PID/task/TID/stat and the kernel function that the thread
// waits in ("" or "0": unknown).
std::string describe_thread(char state, std::string_view wait_channel);

// Whether the process has one thread, which waits for a descriptor: it sleeps in its event loop.
// False if the wait has a short timeout: then its main() does other things in turn.
bool is_alone_in_loop(const std::string& pid);

// From a line of /proc/PID/syscall: false if it is a poll with a timeout below 100 ms, or no system
// call. True if the line is empty: only root and parents may read it.
bool may_poll_for_long(std::string_view system_call);

}  // namespace skein::cli
