// The live tasks of a trace or a running process, for `skein ps`.
#pragma once

#include <string>

#include "report/live_tasks.h"

namespace skein::cli {

// Of a running process: from its task table and definitions, without its events. Of anything else:
// from the whole trace. On failure prints the reason on stderr and throws CommandError(2).
LiveTaskList read_live_tasks(const std::string& path);

}  // namespace skein::cli
