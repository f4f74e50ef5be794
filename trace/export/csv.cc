#include "trace/export/csv.h"

#include <cassert>
#include <string>

#include "base/escape.h"

namespace skein {

CsvWriter::CsvWriter(std::vector<TableColumn> columns, Out& out)
    : columns_(std::move(columns)), out_(out) {
  for (const TableColumn& column : columns_) raw(column.name);
  end_row();
}

CsvWriter& CsvWriter::raw(std::string_view cell) {
  assert(next_ < columns_.size());
  if (next_++ > 0) out_.text() += ',';
  out_.text() += cell;
  return *this;
}

CsvWriter& CsvWriter::number(uint64_t value) {
  assert(next_ < columns_.size());
  if (columns_[next_].type == TableColumn::Type::Signed)
    return raw(std::to_string(static_cast<int64_t>(value)));
  return raw(std::to_string(value));
}

CsvWriter& CsvWriter::text(std::string_view value) {
  if (value.empty()) return raw("");
  std::string cell;
  append_csv(cell, value);
  return raw(cell);
}

CsvWriter& CsvWriter::null() { return raw(""); }

void CsvWriter::end_row() {
  assert(next_ == columns_.size());
  next_ = 0;
  out_.text() += "\r\n";
  out_.flush_if_full();
}

}  // namespace skein
