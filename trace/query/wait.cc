// The table of waits: task, target, start and end, and the waker.
#include <algorithm>

#include "trace/query/table.h"

namespace skein {

namespace {

using Source = QuerySource;

const Waits::Wait& wait(const Source& source, size_t row) { return source.waits().waits[row]; }

std::optional<int64_t> time_or_never(uint64_t time) {
  if (time == Waits::never) return {};
  return sql_time(time);
}

std::optional<int64_t> wait_duration(const Source& source, size_t row) {
  const uint64_t end = std::min(wait(source, row).end, source.model().end);
  return sql_time(end - std::min(wait(source, row).begin, end));
}

uint32_t wait_executor(const Source& source, size_t row) { return wait(source, row).executor; }
uint32_t wait_location(const Source& source, size_t row) { return wait(source, row).location; }

}  // namespace

const QueryTable& wait_table() {
  static const QueryTable table{
      .name = "wait",
      .about = "waits: task, target, start and end",
      .columns = join(
          {{.name = "task",
            .about = "id of the waiting task",
            .number = [](const Source& s, size_t row) { return sql_task(s, wait(s, row).task); }},
           {.name = "target",
            .about = "id of the task or resource waited for, if known",
            .number = [](const Source& s, size_t row) { return sql_task(s, wait(s, row).on); }},
           {.name = "start_ns",
            .about = "ns since the trace began",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return sql_time(wait(s, row).begin);
            }},
           {.name = "runnable_ns",
            .about = "when the task became runnable; NULL: never, or not recorded",
            .number = [](const Source& s,
                         size_t row) { return time_or_never(wait(s, row).ready); }},
           {.name = "end_ns",
            .about = "when the task resumed or ended; NULL: it still waits",
            .number = [](const Source& s, size_t row) { return time_or_never(wait(s, row).end); }},
           {.name = "duration_ns",
            .about = "ns; of a wait that has not ended: to the end of the trace",
            .number = wait_duration},
           {.name = "waker",
            .about = "id of the task that woke or resumed it",
            .number = [](const Source& s, size_t row) { return sql_task(s, wait(s, row).waker); }},
           {.name = "cancelled",
            .about = "1: the task was cancelled or destroyed while it waited",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return wait(s, row).cancelled;
            }}},
          executor_columns<wait_executor>("thread on which the task suspended"),
          location_columns<wait_location>("of the wait")),
      .rows = [](const Source& s) { return s.waits().waits.size(); },
      .ordered = 2};
  return table;
}

}  // namespace skein
