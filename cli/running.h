// From what the user names (a process or a directory) to the directory of a trace.
#pragma once

#include <string>

namespace skein::cli {

// The directory that process `pid` records to: where the `.tasks` it has mapped lies; of several,
// the newest trace. Throws CommandError(2) on failure.
std::string trace_of_process(const std::string& pid);

// `text` itself, or trace_of_process if it is a number and nothing of that name is there.
std::string trace_directory(const std::string& text);

}  // namespace skein::cli
