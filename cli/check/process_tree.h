// The descendants of a process: its children, their children ...
//
// A process that adopts its orphans (PR_SET_CHILD_SUBREAPER) keeps all descendants in its tree,
// also those that have become daemons or have left the process group.
#pragma once

#include <sys/types.h>

#include <vector>

namespace skein::cli {

// In the order of the levels: children first. Without those that have ended and wait to be reaped.
// Reads /proc once: 10 us for each process of the machine.
std::vector<pid_t> descendants_of(pid_t process);

// 0: it has ended.
pid_t parent_of(pid_t process);

// Kills and reaps all descendants of this process, which must adopt its orphans. They are stopped
// first, so that they cannot start others. Returns false if some are left, because they belong to
// another user.
bool kill_descendants();

}  // namespace skein::cli
