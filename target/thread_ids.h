// The ids of the threads of a process, from /proc/PID/task, or other numbers that are names in a
// folder of /proc, such as processes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skein {

// In ascending order; empty: there is no such folder.
std::vector<uint64_t> thread_ids(const std::string& folder);

}  // namespace skein
