// Whether a running process can still wake its tasks, from what the kernel shows of its threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skein::cli {

// All threads of the process, apart from the recorder's, at one instant.
struct ProcessSleep {
  // One waits for descriptors, and the others in futexes of the process without a timeout: it
  // sleeps in its event loop. False if the wait for descriptors has a timeout: then its thread may
  // do other things in turn, like a main() that calls run_for().
  bool in_loop = false;
  // None can run again, unless a signal arrives: each waits in a futex of the process without a
  // timeout, or for eventfds and disarmed timers only, which no child or parent shares. No
  // signal has a handler, but for faults:
  // that of SIGTERM may post a semaphore for which an idle server waits.
  bool for_good = false;
  // How often its threads have stopped running: two readings with one number show that none ran in
  // between.
  uint64_t switches = 0;
};

// All false if there is no such process, or if /proc does not show enough. Only the process that
// started it and root may read that a futex has no timeout.
ProcessSleep read_sleep(const std::string& pid);

// What is true of the process now, has been since `before` was read, and no thread has run since.
ProcessSleep sleep_since(const ProcessSleep& before, const std::string& pid);

// A line of /proc/PID/task/TID/syscall.
struct SystemCall {
  long number = -1;  // none: the thread runs
  uint64_t arguments[6] = {};
};
SystemCall parse_system_call(std::string_view line);
// Whether it waits in a futex without a timeout.
bool waits_in_futex(const SystemCall& call);
// The timeout of a wait for descriptors, ms; negative: none. 0: it is no such wait, or unknown.
int32_t poll_timeout(const SystemCall& call);

// From the line of /proc/PID/task/TID/stat: whether a signal or a debugger has stopped the thread.
bool is_stopped(std::string_view stat);

// From a line "SigCgt:" of /proc/PID/status: whether it catches only signals that are faults, and
// those of the C library.
bool catches_only_faults(uint64_t caught);

}  // namespace skein::cli
