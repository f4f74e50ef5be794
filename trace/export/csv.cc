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
  const std::string valid = valid_utf8(value);
  if (valid.find_first_of("\",\r\n") == std::string::npos && !valid.starts_with(' ') &&
      !valid.ends_with(' '))
    return raw(valid);
  std::string quoted = "\"";
  for (const char c : valid) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return raw(quoted + '"');
}

CsvWriter& CsvWriter::null() { return raw(""); }

void CsvWriter::end_row() {
  assert(next_ == columns_.size());
  next_ = 0;
  out_.text() += "\r\n";
  out_.flush_if_full();
}

}  // namespace skein
