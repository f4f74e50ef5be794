// Rows that SQL gives, as text for people, as CSV and as JSON.
//
//   QueryOutput output(out, QueryFormat::Csv);
//   output.begin(statement);
//   while (sqlite3_step(statement) == SQLITE_ROW) output.row();
//   output.end();
//
// Text is aligned as the first thousand rows need it, so that any number of rows takes little
// memory; control characters and what is no UTF-8 are escaped. CSV is that of RFC 4180 with \n: of
// a text everything but control characters other than \t, \n, \r, and what is no UTF-8, is as it
// is; NULL is nothing, an empty text "". JSON is an array of objects.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/print.h"

namespace skein::cli {

enum class QueryFormat : uint8_t { Text, Csv, Json };

class QueryOutput {
 public:
  QueryOutput(Output& out, QueryFormat format) : out_(out), format_(format) {}

  void begin(sqlite3_stmt* statement);  // which has columns
  void row();                           // the one that it is at
  void end();
  uint64_t rows() const { return rows_; }

 private:
  void text_row();
  void csv_row();
  void json_row();
  void flush_table();
  void add_table_line(const std::vector<std::string>& cells);

  Output& out_;
  const QueryFormat format_;
  sqlite3_stmt* statement_ = nullptr;
  int columns_ = 0;
  uint64_t rows_ = 0;
  std::vector<std::string> names_;  // of the columns, escaped as the format needs it
  // Text only: the rows that decide how wide columns are, and what came of that.
  std::vector<std::vector<std::string>> waiting_;
  std::vector<size_t> widths_;
  std::vector<bool> numeric_;
};

}  // namespace skein::cli
