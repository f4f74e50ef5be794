// The memory that a process can still get.
#pragma once

#include <cstdint>
#include <optional>

#include "base/file.h"

namespace skein::cli {

// Returns the memory that is free without swapping, in bytes: the machine's, or less if a control
// group of this process (v1 or v2), such as that of a container, allows less. Empty if unknown.
// Reads /proc and /sys/fs/cgroup through `files`.
std::optional<uint64_t> free_memory(Files& files);

}  // namespace skein::cli
