// The live tasks of a trace or a running process, for `skein ps`.
#pragma once

#include <string>

#include "report/live_tasks.h"

namespace skein::cli {

// For a running process, reads its task table and definitions; its events as well if a composed
// operation (async_read) is pending, because only they show who waits for it. Otherwise reads the
// whole trace. Throws CommandError(2) on failure.
LiveTaskList read_live_tasks(const std::string& path);

}  // namespace skein::cli
