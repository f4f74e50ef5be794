// The table of labels: all labels of a task, not only the first.
#include "trace/query/table.h"

namespace skein {

namespace {

using Source = QuerySource;

const Model::Label& label(const Source& source, size_t row) { return source.model().labels[row]; }

}  // namespace

const QueryTable& label_table() {
  static const QueryTable table{
      .name = "label",
      .about = "labels of tasks",
      .columns =
          {{.name = "time_ns",
            .about = "ns since the trace began",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return sql_time(label(s, row).time);
            }},
           {.name = "utc",
            .about = "time_ns as a date",
            .made = [](const Source& s,
                       size_t row) { return utc_time(s.trace(), sql_time(label(s, row).time)); }},
           {.name = "task",
            .about = "id of the task",
            .number = [](const Source& s, size_t row) { return sql_task(s, label(s, row).task); }},
           {.name = "text",
            .about = "the label",
            .text = [](const Source& s,
                       size_t row) { return s.trace().strings[label(s, row).text]; }}},
      .rows = [](const Source& s) { return s.model().labels.size(); },
      .ordered = 0};
  return table;
}

}  // namespace skein
