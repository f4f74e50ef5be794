// Parquet by DuckDB's program: no library writes it in Debian, and who has Parquet has DuckDB.
#pragma once

#include <functional>
#include <string>

#include "cli/output_file.h"

namespace skein::cli {

// The columns of the tables in CSV (trace/export/table.h), as DuckDB is told them: it is not to
// guess, from the first rows, that an id fits in 63 bits.
inline constexpr const char* events_columns =
    "'time_ns': 'UBIGINT', 'executor': 'UINTEGER', 'kind': 'VARCHAR', 'task': 'UBIGINT', "
    "'other': 'UBIGINT', 'value': 'BIGINT', 'text': 'VARCHAR', 'type': 'VARCHAR', 'file': "
    "'VARCHAR', 'line': 'UINTEGER', 'column': 'UINTEGER', 'function': 'VARCHAR', 'flags': "
    "'UTINYINT'";
inline constexpr const char* tasks_columns =
    "'id': 'UBIGINT', 'kind': 'VARCHAR', 'name': 'VARCHAR', 'label': 'VARCHAR', 'parent': "
    "'UBIGINT', 'start_ns': 'UBIGINT', 'end_ns': 'UBIGINT', 'state': 'VARCHAR', 'should_resolve': "
    "'UTINYINT', 'running_ns': 'UBIGINT', 'executor': 'UINTEGER', 'file': 'VARCHAR', 'line': "
    "'UINTEGER', 'column': 'UINTEGER', 'function': 'VARCHAR', 'becomes': 'UBIGINT', 'reason': "
    "'VARCHAR'";

// Throws CommandError(2) if there is no program `duckdb`.
void require_duckdb();

// `write_csv` writes the table with a header. Throws CommandError(1) when DuckDB
// fails; nothing is left behind.
void write_parquet(const std::string& path, const std::string& columns,
                   const std::function<void(OutputFile&)>& write_csv);

}  // namespace skein::cli
