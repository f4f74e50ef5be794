// The table of the bottom pane: where the time of the selected tasks goes, by groups of similar
// tasks (trace/ask/stats.h). Plain rows, which each front end draws with its own widgets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

struct TaskTable {
  enum class Column : uint8_t { Name, Count, Total, Median, P99, States, Self };
  static constexpr size_t columns = static_cast<size_t>(Column::Self) + 1;

  struct Row {
    // Safe to display. Of the column States: what its bar shows, in words.
    std::array<std::string, columns> texts;
    std::array<double, 3> shares{};  // of the total: running, runnable, waiting; 0 without a total
    bool chosen = false;
    bool framed = false;  // has tasks of the frame that is chosen in the flame graph
  };
  std::string selection;  // "1.2 ms to 3.4 ms (2.2 ms), filtered"
  std::vector<Row> rows;
  size_t omitted = 0;  // groups that are not in `rows`, because there are too many
  Column sorted = Column::Total;
  bool descending = true;
  bool is_sampled = false;  // of profiles: times are from samples
};

struct TaskColumn {
  std::string_view name;
  std::string_view help;
};
using TaskColumns = std::array<TaskColumn, TaskTable::columns>;
inline constexpr TaskColumns task_table_columns = {{
    {"name", "Label, name or function; tasks whose names differ only in a number are one row"},
    {"tasks", "Tasks that existed in the selection"},
    {"total", "Running, runnable and waiting time of all of them"},
    {"p50", "Half of the tasks that ended took at most this long, from creation to end"},
    {"p99", "99 % of the tasks that ended took at most this long, from creation to end"},
    {"running \u00b7 runnable \u00b7 waiting", "Parts of the total"},
    {"self", "The total without waits for other tasks; includes waits for operations and locks"},
}};
// The same columns of a profile.
inline constexpr TaskColumns sampled_task_columns = {{
    {"name", "Function of the coroutine"},
    {"tasks",
     "Coroutines with samples in the selection, or more: some that follow each other in the same "
     "memory count as one"},
    {"total", "From the first to the last sample of each, of all of them"},
    {"p50", "Not known: samples do not show where a coroutine begins and ends"},
    {"p99", "Not known: samples do not show where a coroutine begins and ends"},
    {"running \u00b7 runnable \u00b7 waiting",
     "Parts of the total: about a period for each sample is running, the rest waiting"},
    {"self", "The total without waits for other tasks"},
}};
constexpr const TaskColumns& columns_of(const TaskTable& table) {
  return table.is_sampled ? sampled_task_columns : task_table_columns;
}

}  // namespace skein
