// The columns and values of an SQL statement, as QueryOutput (report/query.h) prints them.
#pragma once

#include <sqlite3.h>

#include <string_view>
#include <vector>

#include "report/query.h"

namespace skein::cli {

// The names of the columns; none if the statement has no result. Valid until the statement is
// finalized.
inline std::vector<std::string_view> query_columns(sqlite3_stmt* statement) {
  std::vector<std::string_view> columns;
  for (int i = 0; i < sqlite3_column_count(statement); i++) {
    const char* const name = sqlite3_column_name(statement, i);
    columns.emplace_back(name ? name : "");
  }
  return columns;
}

// A value of the current row. It is valid until the next step.
inline QueryCell query_cell(sqlite3_stmt* row, int column) {
  using Type = QueryCell::Type;
  const int sql_type = sqlite3_column_type(row, column);
  if (sql_type == SQLITE_NULL) return {};
  const Type type = sql_type == SQLITE_BLOB   ? Type::Blob
                    : sql_type == SQLITE_TEXT ? Type::Text
                                              : Type::Number;
  const void* const data =
      type == Type::Number ? sqlite3_column_text(row, column) : sqlite3_column_blob(row, column);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(row, column));
  return {type, data ? std::string_view(static_cast<const char*>(data), size) : ""};
}

}  // namespace skein::cli
