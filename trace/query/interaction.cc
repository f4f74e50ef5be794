// The table of interactions: the arrows of the model.
#include "trace/query/table.h"

namespace skein {

namespace {

using Source = QuerySource;
using Link = Model::Link;

const Model::Interaction& arrow(const Source& source, size_t row) {
  return source.model().interactions[row];
}

constexpr std::array<std::string_view, 6> link_names{"read",   "read_failure", "resolve",
                                                     "notify", "await",        "message"};
static_assert(static_cast<size_t>(Link::Message) + 1 == link_names.size());

}  // namespace

const QueryTable& interaction_table() {
  static const QueryTable table{
      .name = "interaction",
      .about = "reads, resolutions, wake-ups and waits between tasks",
      .columns =
          {{.name = "time_ns",
            .about = "when the target was affected, ns since the trace began",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return sql_time(arrow(s, row).to_time);
            }},
           {.name = "utc",
            .about = "time_ns as a date",
            .made =
                [](const Source& s, size_t row) {
                  return utc_time(s.trace(), sql_time(arrow(s, row).to_time));
                }},
           {.name = "kind",
            .about = "read, read_failure, resolve, notify, await, message",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return static_cast<int64_t>(arrow(s, row).link);
            },
            .names = link_names},
           {.name = "source",
            .about = "id of the acting task, or of the task with the result",
            .number = [](const Source& s, size_t row) { return sql_task(s, arrow(s, row).from); }},
           {.name = "target",
            .about = "id of the affected task",
            .number = [](const Source& s, size_t row) { return sql_task(s, arrow(s, row).to); }},
           {.name = "source_time_ns",
            .about = "when the source acted; of a result: when it was available",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return sql_time(arrow(s, row).from_time);
            }}},
      .rows = [](const Source& s) { return s.model().interactions.size(); },
      .ordered = 0};
  return table;
}

}  // namespace skein
