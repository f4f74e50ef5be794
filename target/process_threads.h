// The threads of a running process, from /proc/PID/task.
#pragma once

#include <string>
#include <vector>

#include "target/target.h"

namespace skein {

// In ascending order of ids; empty: there is no such folder. `folder` is "/proc/4711". Threads that
// have ended are left out. `has_own_ids`: the process is in a pid namespace, and
// TargetThread::own_id is to be read. Three files of each thread, four of one that may wait for a
// lock: 20 us.
std::vector<TargetThread> read_process_threads(const std::string& folder, Architecture architecture,
                                               bool has_own_ids);

// The same threads, for Target::thread_moments().
std::vector<ThreadMoment> read_thread_moments(const std::string& folder, Architecture architecture);

// The last number of "NSpid: 4711 7" in /proc/PID/status, in the innermost namespace. 0: unknown.
uint64_t own_id_of(const std::string& status);

}  // namespace skein
