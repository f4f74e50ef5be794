// Detects whether a process is recording a trace.
#pragma once

#include <cstdint>
#include <string>

namespace skein {

// True if process `pid` exists and has this directory's `.tasks` mapped. Checks the mapping because
// the pid may have been reused.
bool records_to(uint64_t pid, const std::string& directory);

}  // namespace skein
