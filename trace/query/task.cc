// The table of the model's tasks and resources.
#include <algorithm>

#include "trace/ask/live_tasks.h"
#include "trace/model/names.h"
#include "trace/query/table.h"

namespace skein {

namespace {

using Source = QuerySource;
using End = Model::End;

const Model::Task& task(const Source& source, size_t row) { return source.model().tasks[row]; }

std::optional<int64_t> ended(const Source& source, size_t row) {
  if (task(source, row).how == End::Open || task(source, row).how == End::Overwritten) return {};
  return sql_time(task(source, row).end);
}

std::optional<int64_t> task_duration(const Source& source, size_t row) {
  const Model::Task& t = task(source, row);
  if (t.how == End::Overwritten) return {};
  const uint64_t end = t.how == End::Open ? source.model().end : t.end;
  return sql_time(end - std::min(t.start, end));
}

std::optional<int64_t> live_state(const Source& source, size_t row) {
  const TaskState state =
      task_state({source.trace(), source.model(), source.waits()}, static_cast<TaskIndex>(row));
  if (state >= TaskState::Resource) return {};
  return static_cast<int64_t>(state);
}

std::optional<size_t> find(const Source& source, int64_t id) {
  const TaskIndex index = source.model().find(static_cast<TaskId>(id));
  if (index == no_index) return {};
  return index;
}

uint32_t task_executor(const Source& source, size_t row) { return task(source, row).executor; }
uint32_t task_location(const Source& source, size_t row) { return task(source, row).location; }

}  // namespace

const QueryTable& task_table() {
  static const QueryTable table{
      .name = "task",
      .about = "tasks and resources",
      .columns = join(
          {{.name = "id",
            .about = "as in event.task",
            .number = [](const Source& s, size_t row) { return sql_id(task(s, row).id); }},
           {.name = "kind",
            .about = "coroutine, timer, io, mutex, condition ...",
            .text = [](const Source& s, size_t row) { return s.kind(task(s, row).kind); }},
           {.name = "name",
            .about = "first label, else the name at creation, else the function",
            .made = [](const Source& s, size_t row) { return task_name(s.trace(), task(s, row)); }},
           {.name = "label",
            .about = "first label",
            .text = [](const Source& s, size_t row) { return s.text(task(s, row).label); }},
           {.name = "parent",
            .about = "id of the task that created it",
            .number = [](const Source& s, size_t row) { return sql_task(s, task(s, row).parent); }},
           {.name = "start_ns",
            .about = "ns since the trace began; 0: before the trace",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return sql_time(task(s, row).start);
            }},
           {.name = "end_ns",
            .about = "ns since the trace began; NULL: live, or overwritten",
            .number = ended},
           {.name = "duration_ns",
            .about = "ns; of a live task: to the end of the trace",
            .number = task_duration},
           {.name = "state",
            .about = "live, resolved, failed, cancelled, became, overwritten",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return static_cast<int64_t>(task(s, row).how);
            },
            .names = end_names},
           {.name = "live_state",
            .about = "created, running, runnable, suspended, unknown; NULL: ended",
            .number = live_state,
            .names = task_state_names},
           {.name = "becomes",
            .about = "id of the successor",
            .number = [](const Source& s,
                         size_t row) { return sql_task(s, task(s, row).becomes); }},
           {.name = "reason",
            .about = "of the failure or cancellation",
            .text = [](const Source& s, size_t row) { return s.text(task(s, row).reason); }}},
          executor_columns<task_executor>("thread that created the task"),
          location_columns<task_location>("of the creation"),
          {{.name = "should_resolve",
            .about = "1: marked should_resolve",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return task(s, row).should_resolve;
            }},
           {.name = "resource",
            .about = "1: a resource; it has waiters and holders, and never runs",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return task(s, row).is_resource;
            }}}),
      .rows = [](const Source& s) { return s.model().tasks.size(); },
      .key = 0,
      .find = find};
  return table;
}

}  // namespace skein
