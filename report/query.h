// Prints the rows of a query as text, CSV or JSON.
//
//   QueryOutput output(out, QueryFormat::Csv);
//   output.begin({"id", "name"});
//   while (...) output.row(cells);
//   output.end();
//
// Text columns are as wide as the first thousand rows need, so that any number of rows takes little
// memory; control characters and invalid UTF-8 are escaped. CSV follows RFC 4180, but with \n:
// texts are quoted if necessary; control characters except \t, \n and \r, and invalid UTF-8, are
// escaped; NULL is nothing, an empty text "". JSON is an array of objects.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

enum class QueryFormat : uint8_t { Text, Csv, Json };

// An SQL value.
struct QueryCell {
  enum class Type : uint8_t { Null, Number, Text, Blob };
  Type type = Type::Null;
  std::string_view bytes = {};  // Number: as SQLite prints it ("Inf" and "-Inf" are infinite)
};

class QueryOutput {
 public:
  // Appends to `out`, which the caller may empty between calls.
  QueryOutput(std::string& out, QueryFormat format) : out_(out), format_(format) {}

  void begin(const std::vector<std::string_view>& columns);
  void row(std::span<const QueryCell> cells);  // one cell per column
  void end();
  uint64_t rows() const { return rows_; }

 private:
  void text_row(std::span<const QueryCell> cells);
  void csv_row(std::span<const QueryCell> cells);
  void json_row(std::span<const QueryCell> cells);
  void flush_table();
  void add_table_line(const std::vector<std::string>& cells);

  std::string& out_;
  const QueryFormat format_;
  uint64_t rows_ = 0;
  std::vector<std::string> names_;  // of the columns, escaped for the format
  // Text only: the rows that determine the column widths, and the widths.
  std::vector<std::vector<std::string>> waiting_;
  std::vector<size_t> widths_;
  std::vector<bool> numeric_;
};

}  // namespace skein
