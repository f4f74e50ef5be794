// Writes a table as an Apache Parquet file.
//
// Rows are buffered and written as row groups of at most `group_rows` rows or about 64 MiB of text,
// so memory is bounded. finish() writes the footer, without which the file is unreadable.
//
// Integers are delta-encoded (DELTA_BINARY_PACKED), texts dictionary-encoded (RLE_DICTIONARY);
// pages are not compressed. A skein trace takes a fifth of the size of the CSV file.
//
// Format: https://github.com/apache/parquet-format (README.md, Encodings.md, parquet.thrift), with
// the metadata in Thrift's compact protocol. Implemented here because Debian packages no library
// for it; it replaces a temporary CSV file and the program duckdb.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/export/out.h"
#include "trace/export/table_writer.h"

namespace skein {

class ParquetWriter : public TableWriter {
 public:
  static constexpr size_t default_group_rows = size_t{1} << 17;

  // `out` must outlive the writer. Tests use a smaller `group_rows`.
  ParquetWriter(std::vector<TableColumn> columns, Out& out, size_t group_rows = default_group_rows);
  ~ParquetWriter() override;
  ParquetWriter(const ParquetWriter&) = delete;
  ParquetWriter& operator=(const ParquetWriter&) = delete;

  ParquetWriter& number(uint64_t value) override;
  ParquetWriter& text(std::string_view value) override;
  ParquetWriter& null() override;
  void end_row() override;
  void finish() override;

 private:
  struct Chunk;  // position of a column of a row group in the file
  struct RowGroup;

  // The cells of a column in the current row group.
  struct Cells {
    std::vector<uint32_t> present;  // 1: a value, 0: null; one per row
    std::vector<uint64_t> numbers;  // the values; for texts, indices into the dictionary
    std::unordered_map<std::string, uint32_t> index;
    std::string dictionary;  // encoded as on its page
  };

  Cells& next_cell();
  void write(std::string_view bytes);
  Chunk write_column(const TableColumn& column, Cells& cells);
  void write_group();

  const std::vector<TableColumn> columns_;
  Out& out_;
  const size_t group_rows_;
  std::vector<Cells> cells_;
  size_t next_ = 0;  // the column of the next cell
  size_t rows_ = 0;  // in this row group
  size_t text_bytes_ = 0;
  uint64_t written_ = 0;
  std::vector<RowGroup> groups_;
};

}  // namespace skein
