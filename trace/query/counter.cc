// The table of counters: every change of each counter, grouped by counter.
#include <algorithm>

#include "trace/query/table.h"

namespace skein {

namespace {

using Source = QuerySource;

// A counter and its first row.
struct Place {
  const Model::Counter& counter;
  size_t first;
};

Place place(const Source& source, size_t row) {
  const std::vector<size_t>& begins = source.counter_points();
  const auto next = std::upper_bound(begins.begin(), begins.end(), row);
  return {source.model().counters[static_cast<size_t>(next - begins.begin()) - 1], next[-1]};
}

const Model::Counter::Point& point(const Source& source, size_t row) {
  const Place at = place(source, row);
  return at.counter.points[row - at.first];
}

}  // namespace

const QueryTable& counter_table() {
  static const QueryTable table{
      .name = "counter",
      .about = "values of counters over time",
      .columns =
          {{.name = "name",
            .about = "of the counter",
            .text = [](const Source& s,
                       size_t row) { return s.trace().strings[place(s, row).counter.name]; }},
           {.name = "time_ns",
            .about = "when the value changed, ns since the trace began",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return sql_time(point(s, row).time);
            }},
           {.name = "utc",
            .about = "time_ns as a date",
            .made = [](const Source& s,
                       size_t row) { return utc_time(s.trace(), sql_time(point(s, row).time)); }},
           {.name = "value",
            .about = "value from this time on",
            .number = [](const Source& s, size_t row) -> std::optional<int64_t> {
              return point(s, row).value;
            }}},
      .rows = [](const Source& s) { return s.counter_points().back(); },
      .ordered = 1,
      .runs = [](const Source& s) -> const std::vector<size_t>& { return s.counter_points(); }};
  return table;
}

}  // namespace skein
