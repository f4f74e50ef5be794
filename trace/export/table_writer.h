// The output of an exported table: a CSV or a Parquet file.
//
//   const std::vector<TableColumn> columns = {{"id", TableColumn::Type::Unsigned},
//                                             {"name", TableColumn::Type::Text}};
//   CsvWriter table(columns, out);
//   table.number(7).text("query").end_row();
//   table.number(8).null().end_row();
//   table.finish();   // then out.finish()
//
// A row has one cell for each column, in their order; any cell may be null. One thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace skein {

struct TableColumn {
  enum class Type : uint8_t { Unsigned, Signed, Text };  // 64 bits; UTF-8
  std::string_view name;                                 // must outlive the writer
  Type type = Type::Unsigned;
};

class TableWriter {
 public:
  virtual ~TableWriter() = default;

  // The next cell of the row. In a signed column the value is in two's complement. A text may have
  // any bytes; invalid UTF-8 is written as by valid_utf8().
  virtual TableWriter& number(uint64_t value) = 0;
  virtual TableWriter& text(std::string_view value) = 0;
  virtual TableWriter& null() = 0;
  virtual void end_row() = 0;

  // Call after the last row.
  virtual void finish() = 0;
};

}  // namespace skein
