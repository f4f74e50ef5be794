// Writes a table as CSV (RFC 4180): a header line, then a line per row. Null is an empty cell.
#pragma once

#include <vector>

#include "trace/export/out.h"
#include "trace/export/table_writer.h"

namespace skein {

class CsvWriter : public TableWriter {
 public:
  // Writes the header. `out` must outlive the writer.
  CsvWriter(std::vector<TableColumn> columns, Out& out);

  CsvWriter& number(uint64_t value) override;
  CsvWriter& text(std::string_view value) override;
  CsvWriter& null() override;
  void end_row() override;
  void finish() override {}

 private:
  CsvWriter& raw(std::string_view cell);

  const std::vector<TableColumn> columns_;
  Out& out_;
  size_t next_ = 0;  // the column of the next cell
};

}  // namespace skein
