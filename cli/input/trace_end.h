// What the process that runs a recorded program adds to its trace when the program ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace skein::cli {

// The last times at which the threads of the program waited for each other (ProcessSleep), ns since
// 1970; 0: never, or unknown.
struct LastSleep {
  int64_t in_loop = 0;
  int64_t for_good = 0;
};

// Writes when the program ended (ns since 1970), and when it slept, to the trace's task table,
// unless another process recorded it: a program that hung recorded nothing for some time. Without a
// trace, or if it cannot be written, this remains unknown.
void note_trace_end(const std::string& directory, pid_t pid, int64_t ended_utc,
                    const LastSleep& last);

}  // namespace skein::cli
