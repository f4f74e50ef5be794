// The tasks that are alive, or were when a trace ended: what `skein ps` shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/read/events.h"

namespace skein::cli {

// One live task or resource; texts are as they are in the trace.
struct LiveTask {
  uint64_t id = 0;
  uint64_t parent = 0;
  uint64_t on = 0;  // what it waits for; of a resource: its holder. 0: not known
  uint64_t waker = 0;
  uint64_t since_ns = 0;  // since 1970, if LiveTasks::has_utc; else since the trace began
  uint64_t for_ns = 0;    // up to LiveTasks::until_ns
  std::string name;       // its label; else what it was created as; else its function
  std::string state;      // "created", "running", "suspended", "resource"
  std::string kind;       // "coroutine"; empty: nothing is known
  std::string where;      // "function file:line" where it was created
  std::string at;         // likewise, where it waits
  std::string thread;
  bool should_resolve = false;
};

struct LiveTasks {
  std::string title;
  bool has_utc = false;
  bool running = false;   // its process goes on, and may be elsewhere by now
  uint64_t until_ns = 0;  // now; the last sign of life if it has ended
  std::vector<LiveTask> tasks;
  std::vector<std::string> remarks;
};

// From the task table and the definitions of a trace of ours, that of a running program included;
// from the events of any other trace. On failure says why on stderr and throws
// CommandError(2).
LiveTasks read_live_tasks(const std::string& path);

// From the events alone: each task that did not end.
LiveTasks live_tasks_of(const Trace& trace);

// As a table at most `width` characters wide: what tells least gives way first. As a tree: children
// under their parents, each level by id. Otherwise: running, suspended, created, resources; of each
// the longest first.
std::string live_tasks_text(const LiveTasks& live, bool tree, size_t width);

std::string live_tasks_json(const LiveTasks& live);

}  // namespace skein::cli
