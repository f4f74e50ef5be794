// Is a trace being recorded right now?
#pragma once

#include <cstdint>
#include <string>

namespace skein {

// Is process `pid` there, and has it this very directory's `.tasks` mapped? Its number may be
// another process's by now.
bool records_to(uint64_t pid, const std::string& directory);

}  // namespace skein
