// What `skein ps` prints: the live tasks of a trace or a running process (trace/ask/live_tasks.h),
// as text or JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/ask/live_tasks.h"

namespace skein::cli {

// One live task or resource; texts are as they are in the trace.
struct LiveTaskRow {
  uint64_t id = 0;
  uint64_t parent = 0;
  uint64_t on = 0;  // what it waits for; of a resource: its holder. 0: not known
  uint64_t waker = 0;
  uint64_t since_ns = 0;  // since 1970, if LiveTaskList::has_utc; else since the trace began
  uint64_t for_ns = 0;    // up to LiveTaskList::until_ns
  std::string name;       // task_name()
  std::string on_name;    // of what it waits for
  std::string state;      // name(TaskState)
  std::string kind;       // "coroutine"; empty: unknown
  std::string where;      // "function file:line" where it was created
  std::string at;         // where it waits
  std::string thread;
  bool should_resolve = false;
};

struct LiveTaskList {
  std::string title;
  bool has_utc = false;
  bool running = false;   // its process runs, so this may be outdated
  uint64_t until_ns = 0;  // now; of an ended process: the last event
  std::vector<LiveTaskRow> tasks;
  std::vector<std::string> remarks;
};

// Of a running process: from its task table and definitions, without its events. Of anything else:
// from the whole trace. On failure prints why on stderr and throws CommandError(2).
LiveTaskList read_live_tasks(const std::string& path);

// `until`: ages are up to then, as EventRow::time.
LiveTaskList live_task_list(const Subject& subject, uint64_t until);

// As a table at most `width` characters wide; the least important columns give way first. As a tree:
// children under their parents, each level by id. Otherwise: running, runnable, suspended, created,
// unknown, resources; of each the longest first.
std::string live_tasks_text(const LiveTaskList& live, bool tree, size_t width);

std::string live_tasks_json(const LiveTaskList& live);

}  // namespace skein::cli
