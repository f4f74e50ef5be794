// The report of `skein ps`: the live tasks and resources of a trace or a running process, as a
// table, a tree or JSON.
//
//   print(live_tasks_text(live_task_list({trace, model, waits}, model.end), {.width = 100}));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/json.h"
#include "trace/ask/live_tasks.h"

namespace skein {

// One live task or resource. Texts are as they are in the trace.
struct LiveTaskRow {
  struct Task {
    TaskId id = no_task;  // no_task: unknown
    std::string name = {};
    std::string title = {};  // task_title()
  };
  struct Location {
    std::string text = {};  // "serve server.cc:22"; empty: unknown
    Json json = {};         // location_json()
  };
  struct Thread {
    std::string text = {};  // executor_title(); empty: it has not run
    Json json = {};         // executor_json()
  };

  TaskId id = no_task;
  std::string name = {};   // task_name()
  std::string title = {};  // task_title()
  std::string state = {};  // name(TaskState)
  std::string kind = {};   // "coroutine"; empty: unknown
  Task target = {};        // what it waits for; of a resource: its holder
  std::string peer = {};   // of the socket that the operation uses: peer_of()
  // What it waits for if that is no task: an object ("rt::Mutex 0x55942c469040"), or the handler
  // that it runs (its title).
  std::string object = {};
  Task parent = {};
  Task waker = {};         // that resumed it last
  int64_t since = 0;       // of the state, as EventRow::time; before the trace: negative
  Location location = {};  // of its wait
  Location created_at = {};
  Thread thread = {};  // that runs it, or ran it last
  bool should_resolve = false;
};

struct LiveTaskList {
  std::string program = {};
  std::optional<uint64_t> pid = {};       // of a trace with a live task table
  bool running = false;                   // the process runs: the list may be outdated
  std::optional<int64_t> utc_start = {};  // of the trace, in ns since 1970
  uint64_t until = 0;                     // now; of an ended process: its last event
  std::vector<LiveTaskRow> tasks = {};    // by id
  std::vector<std::string> notes = {};    // sentences: what is not shown
};

// Durations end at `until`, as EventRow::time.
LiveTaskList live_task_list(const Subject& subject, uint64_t until);

struct LiveTaskLayout {
  bool tree = false;   // children under their parents, each level by id
  size_t width = 100;  // in characters; the least important columns give way first
};
// Without a tree: running, runnable, suspended, created, unknown, resources; of each the longest
// first.
std::string live_tasks_text(const LiveTaskList& live, const LiveTaskLayout& layout);
// skein.ps of docs/json.md.
Json live_tasks_json(const LiveTaskList& live);

}  // namespace skein
