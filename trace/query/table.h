// A table for SQL: rows by number, and columns that are read in place.
//
//   const QueryTable& label_table() {
//     static const QueryTable table{
//         .name = "label",
//         .about = "labels of tasks",
//         .columns = {{.name = "time", .about = "when, ns", .number = ...},
//                     {.name = "text", .about = "the label", .text = ...}},
//         .rows = [](const QuerySource& source) { return source.model().labels.size(); },
//         .ordered = 0};
//     return table;
//   }
//
// Each table has its own file; virtual_table.cc registers it with SQLite. A value of a query for
// three columns of `event` takes 21 ns, a third of which is spent here (perf, bench/query.cc).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/query/source.h"

namespace skein {

struct QueryColumn {
  using Numbers = std::array<int64_t, block_rows>;

  std::string_view name;
  std::string about;  // one line, with the unit

  // Exactly one of these three. No number, or a view without data, is NULL.
  std::optional<int64_t> (*number)(const QuerySource&, size_t row) = nullptr;
  std::string_view (*text)(const QuerySource&, size_t row) = nullptr;  // a stable text
  std::string (*made)(const QuerySource&, size_t row) = nullptr;       // empty: NULL

  // For `number`: the texts that represent its values.
  std::span<const std::string_view> names = {};
  // For `number`, optional: its values in the block that starts at row `first`, for a scan. The
  // value for a NULL is unspecified.
  void (*block)(const QuerySource&, size_t first, Numbers& numbers) = nullptr;

  bool is_integer() const { return number && names.empty(); }
};

using QueryColumns = std::vector<QueryColumn>;

struct QueryTable {
  static constexpr int none = -1;

  std::string_view name;
  std::string_view about;
  QueryColumns columns;
  size_t (*rows)(const QuerySource&) = nullptr;
  int row = none;      // the column that is the row number
  int ordered = none;  // a column that ascends and is never NULL
  // The rows where `ordered` starts again, from 0 to the number of rows; null: it ascends
  // throughout.
  const std::vector<size_t>& (*runs)(const QuerySource&) = nullptr;
  int key = none;  // a column with at most one row per value
  std::optional<size_t> (*find)(const QuerySource&, int64_t key) = nullptr;
};

// All tables, in the order in which they are listed.
std::span<const QueryTable* const> query_tables();

const QueryTable& event_table();
const QueryTable& task_table();
const QueryTable& wait_table();
const QueryTable& interaction_table();
const QueryTable& activation_table();
const QueryTable& label_table();
const QueryTable& counter_table();
const QueryTable& sample_table();
const QueryTable& stack_frame_table();
const QueryTable& socket_table();
const QueryTable& thread_state_table();
const QueryTable& executor_table();
const QueryTable& process_table();
const QueryTable& machine_table();
const QueryTable& lost_table();

// CREATE TABLE, with a comment for each column.
std::string schema_text(const QueryTable& table);

// Numbers as SQL has them, signed. Times of a damaged trace keep their order.
inline int64_t sql_time(uint64_t ns) {
  return static_cast<int64_t>(ns < INT64_MAX ? ns : INT64_MAX);
}
inline std::optional<int64_t> sql_id(TaskId id) {
  if (id == no_task) return {};
  return static_cast<int64_t>(id);
}
// The id of a task of the model.
inline std::optional<int64_t> sql_task(const QuerySource& source, TaskIndex task) {
  if (task == no_index) return {};
  return sql_id(source.model().tasks[task].id);
}
inline std::optional<int64_t> sql_line(const QuerySource& source, uint32_t location) {
  if (location >= source.trace().locations.size()) return {};
  const uint32_t line = source.trace().locations[location].line;
  if (line == 0) return {};
  return line;
}

// Columns that several tables have. `of` returns the executor or location of a row.
using RowIndex = uint32_t (*)(const QuerySource&, size_t row);

template <RowIndex of>
QueryColumns executor_columns(const std::string& about) {
  using Source = QuerySource;
  return {
      {.name = "executor",
       .about = about,
       .text = [](const Source& s, size_t row) { return s.executor(of(s, row)); }},
      {.name = "executor_id",
       .about = "id in executor",
       .number = [](const Source& s, size_t row) -> std::optional<int64_t> { return of(s, row); }}};
}

template <RowIndex of>
QueryColumns location_columns(const std::string& about) {
  using Source = QuerySource;
  return {{.name = "location",
           .about = about + ": function file:line, short",
           .text = [](const Source& s, size_t row) { return s.location(of(s, row)); }},
          {.name = "function",
           .about = about,
           .text = [](const Source& s, size_t row) { return s.function(of(s, row)); }},
          {.name = "file",
           .about = about,
           .text = [](const Source& s, size_t row) { return s.file(of(s, row)); }},
          {.name = "line", .about = about, .number = [](const Source& s, size_t row) {
             return sql_line(s, of(s, row));
           }}};
}

// Concatenates the columns in this order.
QueryColumns join(QueryColumns columns, const QueryColumns& next, const QueryColumns& after = {},
                  const QueryColumns& last = {});

// "2026-11-21T22:55:57.000000001Z"; empty if the trace has no UTC time.
std::string utc_time(const Trace& trace, int64_t time);
// The inverse of utc_time(). The seconds, their fraction and the Z are optional, and a space may
// replace the T.
std::optional<int64_t> time_of_utc(const Trace& trace, std::string_view utc);

}  // namespace skein
