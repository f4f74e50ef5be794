// Runs the input as SQL statements over a trace with every kind of event, as `skein query` does. A
// statement may fail; it may not write, read a file, or use more than its share of time and memory.
#include <sqlite3.h>

#include <string>

#include "base/escape.h"
#include "cli/output/query_cells.h"
#include "fuzz/command/any_trace.h"
#include "report/query.h"
#include "trace/query/database.h"

using namespace skein;

namespace {

constexpr size_t most_rows = 50;
constexpr int most_steps = 5'000;
constexpr int steps_between_calls = 500;
int steps = 0;  // of the input's statements, in calls

const Trace& every_event() {
  static const Trace trace = [] {
    std::string bytes;
    for (unsigned round = 0; round < 2; round++)
      for (unsigned kind = 0; kind < event_kinds; kind++)
        for (const unsigned byte :
             {kind, kind % 5 + round, kind % 3 + 1, kind, kind, kind, round, 9u})
          bytes += static_cast<char>(byte);
    Cursor in({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    return fuzz::scripted_trace(in, 1000);
  }();
  return trace;
}

// One connection for all inputs: opening it takes as long as hundreds of statements. No statement
// can change it.
sqlite3* open_database() {
  static const QueryDatabase database(every_event());
  sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, 1 << 14);
  sqlite3_progress_handler(
      database.handle(), steps_between_calls,
      [](void*) -> int { return ++steps > most_steps / steps_between_calls; }, nullptr);
  return database.handle();
}

void run(sqlite3_stmt* statement, QueryFormat format) {
  std::string out;
  QueryOutput output(out, format);
  const std::vector<std::string_view> columns = cli::query_columns(statement);
  std::vector<QueryCell> cells(columns.size());
  if (!columns.empty()) output.begin(columns);
  for (size_t rows = 0; rows < most_rows && sqlite3_step(statement) == SQLITE_ROW; rows++) {
    for (size_t i = 0; i < cells.size(); i++)
      cells[i] = cli::query_cell(statement, static_cast<int>(i));
    output.row(cells);
  }
  if (!columns.empty()) output.end();
  fuzz::require_printable(out, format == QueryFormat::Csv ? "\n\t" : "\n");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const QueryFormat format = data[0] % 3 == 0   ? QueryFormat::Text
                             : data[0] % 3 == 1 ? QueryFormat::Csv
                                                : QueryFormat::Json;
  const std::string sql(reinterpret_cast<const char*>(data) + 1, size - 1);
  static sqlite3* const handle = open_database();
  steps = 0;
  for (const char* at = sql.c_str(); *at;) {
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    const int result = sqlite3_prepare_v2(handle, at, -1, &statement, &tail);
    if (result == SQLITE_OK && statement) {
      fuzz::require(sqlite3_stmt_readonly(statement));
      run(statement, format);
    } else {
      fuzz::require_printable(escaped(sqlite3_errmsg(handle)));
    }
    sqlite3_finalize(statement);
    if (result != SQLITE_OK || !statement || steps > most_steps / steps_between_calls) break;
    at = tail;
  }
  return 0;
}
