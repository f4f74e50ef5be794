// The tasks and resources that are live at the end of a trace: the state of each, since when, and
// what it waits for. The definitions are those of docs/model.md, section "Live, ended, waiting".
//
//   for (const LiveTask& live : find_live_tasks({trace, model, waits}))
//     print(task_name(trace, model.tasks[live.task]), name(live.state));
//
// Everything here follows from the model and its waits; no event is interpreted again. All commands
// and viewers that show a state use task_state().
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

enum class TaskState : uint8_t {
  Created,    // has not run; an operation: has not completed
  Running,    // current on a thread
  Runnable,   // its wait is over, and it has not resumed
  Suspended,  // waits, or ran and is not current
  Unknown,    // pre-existing, and the trace does not contain its state
  Resource,   // a live resource: it has a holder or none
  Ended,
};
// "created"; stable, used in text, JSON and SQL.
inline constexpr std::array<std::string_view, 7> task_state_names = {
    "created", "running", "runnable", "suspended", "unknown", "resource", "ended"};
static_assert(static_cast<size_t>(TaskState::Ended) + 1 == task_state_names.size());
constexpr std::string_view name(TaskState state) {
  return task_state_names[static_cast<size_t>(state)];
}
// Suspended or runnable.
bool is_waiting(TaskState state);

// O(waits of the task).
TaskState task_state(const Subject& subject, TaskIndex task);

struct LiveTask {
  TaskIndex task = no_index;
  TaskState state = TaskState::Unknown;
  int64_t since = 0;                // of the state, as EventRow::time; before the trace: negative
  TaskIndex target = no_index;      // what it waits for; of a resource: its holder
  TaskIndex waker = no_index;       // that resumed it last
  uint32_t location = 0;            // where it waits; index into Trace::locations
  uint32_t executor = Waits::none;  // it runs on or ran on last; none: it has not run
};

// Describes live tasks and resources of one subject, which must outlive it. Construction takes
// O(tasks + activations); needs 4 bytes per task.
class LiveTaskFinder {
 public:
  explicit LiveTaskFinder(const Subject& subject);

  // `task` must be live. O(its waits).
  LiveTask find(TaskIndex task) const;

 private:
  uint64_t describe_resource(TaskIndex resource, LiveTask& live) const;

  Subject s_;
  std::vector<uint32_t> last_;  // by task, its last activation; Waits::none: it has none
};

// `task` must be live. O(activations).
LiveTask live_task(const Subject& subject, TaskIndex task);

// All live tasks and resources, by id. O(tasks + activations + waits).
std::vector<LiveTask> find_live_tasks(const Subject& subject);

}  // namespace skein
