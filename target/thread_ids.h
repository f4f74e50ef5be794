// The ids of the threads of a process, from /proc/PID/task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skein {

// In ascending order; empty: there is no such folder.
std::vector<uint64_t> thread_ids(const std::string& folder);

}  // namespace skein
