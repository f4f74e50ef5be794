// The table of activations: task, thread, start and end.
#include <algorithm>

#include "trace/query/table.h"

namespace skein {

namespace {

using Source = QuerySource;

const Model::Activation& activation(const Source& source, size_t row) {
  return source.model().activations[row];
}

uint32_t activation_executor(const Source& source, size_t row) {
  return activation(source, row).executor;
}

}  // namespace

const QueryTable& activation_table() {
  static const QueryTable table{
      .name = "activation",
      .about = "intervals in which a task is current",
      .columns = join({{.name = "task",
                        .about = "id of the task",
                        .number = [](const Source& s,
                                     size_t row) { return sql_task(s, activation(s, row).task); }},
                       {.name = "start_ns",
                        .about = "ns since the trace began",
                        .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
                          return sql_time(activation(s, row).start);
                        }},
                       {.name = "end_ns",
                        .about = "ns since the trace began",
                        .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
                          return sql_time(activation(s, row).end);
                        }},
                       {.name = "duration_ns",
                        .about = "ns",
                        .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
                          const Model::Activation& a = activation(s, row);
                          return sql_time(a.end - std::min(a.start, a.end));
                        }}},
                      executor_columns<activation_executor>("the thread")),
      .rows = [](const Source& s) { return s.model().activations.size(); },
      .ordered = 1};
  return table;
}

}  // namespace skein
