// The core file that the kernel has written of a process.
#pragma once

#include <sys/types.h>

#include <string>

namespace skein::cli {

// The path of the core of `process`, which ran in `folder` (empty: the current one); empty: none is
// found, because another program receives the cores, the process has changed its folder, or another
// core has replaced it. Opens the files whose names match kernel.core_pattern.
std::string kernel_core_of(pid_t process, const std::string& folder);

}  // namespace skein::cli
