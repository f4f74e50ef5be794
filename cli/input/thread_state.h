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

// The folder of the thread in /proc; empty if there is no such thread.
std::string thread_folder(const std::string& pid, uint64_t tid);

// Adds what the threads of the process have used up to now (`time`, of the trace) to
// Trace::cpu_times. The kernel's account may lack the current tick, some ms.
void add_cpu_times(const std::string& pid, uint64_t time, Trace& trace);

// The letter behind the name, which is in parentheses and may contain any character, in a line of
// /proc/PID/task/TID/stat; '?' if there is none.
char state_letter(std::string_view stat);

// The same as thread_state() from the state letter of /proc/PID/task/TID/stat and the kernel
// function that the thread waits in ("" or "0": unknown), which is escaped: in a core it may be any
// text.
std::string describe_thread(char state, std::string_view wait_channel);

}  // namespace skein::cli
