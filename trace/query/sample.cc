// The table of samples: the sample events, with the names that apply.
#include "trace/query/table.h"

namespace skein {

namespace {

using Source = QuerySource;

size_t event(const Source& source, size_t row) { return source.samples()[row]; }

uint32_t sample_executor(const Source& source, size_t row) {
  return source.events().executor[event(source, row)];
}

}  // namespace

const QueryTable& sample_table() {
  static const QueryTable table{
      .name = "sample",
      .about = "stacks of threads, from a profiler",
      .columns =
          join({{.name = "time_ns",
                 .about = "ns since the trace began",
                 .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
                   return sql_time(s.events().time[event(s, row)]);
                 }},
                {.name = "utc",
                 .about = "time_ns as a date",
                 .made =
                     [](const Source& s, size_t row) {
                       return utc_time(s.trace(), sql_time(s.events().time[event(s, row)]));
                     }},
                {.name = "task",
                 .about = "id of the current task, if any",
                 .number = [](const Source& s,
                              size_t row) { return sql_id(s.events().task[event(s, row)]); }}},
               executor_columns<sample_executor>("thread of the stack"),
               {{.name = "stack",
                 .about = "number of the stack",
                 .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
                   const uint64_t stack = s.events().value[event(s, row)];
                   return static_cast<int64_t>(s.trace().stacks.number(stack));
                 }}}),
      .rows = [](const Source& s) { return s.samples().size(); },
      .ordered = 0};
  return table;
}

}  // namespace skein
