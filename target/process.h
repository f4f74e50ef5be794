// A running process as a Target. It is not stopped and does not notice.
//
// The caller needs permission to trace it (ptrace(2), "Ptrace access mode checking"): the same
// user, or CAP_SYS_PTRACE; and Yama's ptrace_scope may forbid all but root to trace anything but
// children.
#pragma once

#include <cstdint>
#include <memory>

#include "target/target.h"

namespace skein {

// Fails for a process that does not exist, has ended, is a 32-bit one or a thread of the kernel,
// and without permission. If the process ends later, read() returns 0 and threads() nothing. Reads
// its mappings once: 1 ms for each thousand. A main thread that has left is none of its threads.
Result<std::unique_ptr<Target>> open_process(uint64_t pid);

}  // namespace skein
