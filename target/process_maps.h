// The text of /proc/PID/maps (proc_pid_maps(5)).
#pragma once

#include <string_view>
#include <vector>

#include "target/target.h"

namespace skein {

// Lines that cannot be read are left out. Sorted, as the kernel writes them.
std::vector<Mapping> read_maps(std::string_view text);

}  // namespace skein
