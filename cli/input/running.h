// From what the user names (a process or a directory) to the directory of a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skein::cli {

// The directory that process `pid` records to: where the `.tasks` it has mapped lies; of several,
// the newest trace. Throws CommandError(2) on failure.
std::string trace_of_process(const std::string& pid);

struct RecordedProcess {
  uint64_t pid = 0;
  std::string program;    // its name; as /proc has it
  std::string directory;  // of its newest trace
};
// The processes of this machine that record now, as far as the user may look into them, by pid.
std::vector<RecordedProcess> recorded_processes();

// "4711 is a process" and where it records to, for a command that takes no process; empty if `text`
// is no number of a process, or a file of that name exists.
std::string process_hint(const std::string& text);

// `text` itself, or trace_of_process if it is a number and nothing of that name is there.
std::string trace_directory(const std::string& text);

}  // namespace skein::cli
