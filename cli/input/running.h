// Finds the trace directory of a process or path that the user names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skein::cli {

// Returns the directory that process `pid` records to, found by the `.tasks` that it has mapped. If
// there are several, returns the newest trace. Throws CommandError(2) on failure.
std::string trace_of_process(const std::string& pid);

// Returns the numbers of a process or thread in each of its pid namespaces, the innermost last,
// from its folder in /proc ("/proc/7", "/proc/7/task/8"). Empty if there is no such process.
std::vector<uint64_t> namespace_numbers(const std::string& folder);

struct RecordedProcess {
  uint64_t pid = 0;
  std::string program;    // its name in /proc
  std::string directory;  // of its newest trace
};
// Returns the recording processes of this machine that the user may inspect, sorted by pid.
std::vector<RecordedProcess> recorded_processes();

// Returns the pid of the process that records to this directory, if this machine runs it, the user
// may inspect it, and that is its newest trace; otherwise "".
std::string process_of(const std::string& directory);

// Returns a message for a command that does not accept a PID: "4711 is a process, not a trace", and
// the trace of the process. Empty if `text` is not the pid of a process or names a file.
std::string process_hint(const std::string& text);

// Returns `text` as a number if it is the pid of a process that does not record, and that the
// user may inspect, and names no file.
std::optional<uint64_t> process_without_trace(const std::string& text);

// Returns trace_of_process(text) if `text` is a number and no file has that name; otherwise `text`.
// Throws CommandError(2) if `text` is empty.
std::string trace_directory(const std::string& text);

}  // namespace skein::cli
