#include "trace/export/parquet.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>

#include "base/escape.h"
#include "trace/export/thrift.h"

namespace skein {

namespace {

// Numbers of parquet.thrift.
namespace physical {
constexpr int32_t int64 = 2, byte_array = 6;
}
namespace converted {
constexpr int32_t utf8 = 0, uint_64 = 14, int_64 = 18;
}
namespace encoding {
constexpr int32_t plain = 0, rle = 3, delta_binary_packed = 5, rle_dictionary = 8;
}
namespace page {
constexpr int32_t data = 0, dictionary = 2;
}
constexpr int32_t optional = 1, uncompressed = 0;
constexpr std::string_view magic = "PAR1";
constexpr size_t enough_text = size_t{64} << 20;

void append_u32(std::string& out, size_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift);
}

// Appends the `width` low bits of each value, the lowest bit first.
template <typename Value>
void pack_bits(std::string& out, const Value* values, size_t count, unsigned width) {
  uint64_t bits = 0;
  unsigned used = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t value = values[i];
    for (unsigned left = width; left > 0;) {
      const unsigned taken = std::min(left, 8 - used);
      bits |= (value & ((uint64_t{1} << taken) - 1)) << used;
      value >>= taken;
      left -= taken;
      used += taken;
      if (used == 8) {
        out += static_cast<char>(bits);
        bits = 0;
        used = 0;
      }
    }
  }
  if (used > 0) out += static_cast<char>(bits);
}

// "RLE/bit-packing hybrid" of Encodings.md: runs of one value, and groups of eight packed ones.
template <typename Value>
void append_hybrid(std::string& out, const std::vector<Value>& values, unsigned width) {
  const auto run_at = [&](size_t at) {
    size_t end = at;
    while (end < values.size() && values[end] == values[at]) end++;
    return end - at;
  };
  for (size_t at = 0; at < values.size();) {
    if (const size_t run = run_at(at); run >= 8) {
      append_varint(out, uint64_t{run} << 1);
      for (unsigned shift = 0; shift < width; shift += 8)
        out += static_cast<char>(uint64_t{values[at]} >> shift);
      at += run;
      continue;
    }
    size_t end = at;  // whole groups of eight, up to the next run
    do end += 8;
    while (end < values.size() && run_at(end) < 8);
    append_varint(out, (end - at) / 8 << 1 | 1);
    std::vector<Value> group(values.begin() + static_cast<ptrdiff_t>(at),
                             values.begin() + static_cast<ptrdiff_t>(std::min(end, values.size())));
    group.resize(end - at);  // the last group may have padding
    pack_bits(out, group.data(), group.size(), width);
    at = std::min(end, values.size());
  }
}

// DELTA_BINARY_PACKED of Encodings.md. Differences wrap around, so that every 64-bit number fits.
void append_deltas(std::string& out, const std::vector<uint64_t>& values) {
  constexpr size_t block = 128, minis = 4, mini = block / minis;
  append_varint(out, block);
  append_varint(out, minis);
  append_varint(out, values.size());
  append_varint(out, zigzag(values.empty() ? 0 : static_cast<int64_t>(values[0])));
  for (size_t at = 1; at < values.size(); at += block) {
    const size_t count = std::min(block, values.size() - at);
    std::array<uint64_t, block> deltas{};
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
      deltas[i] = values[at + i] - values[at + i - 1];
      least = std::min(least, static_cast<int64_t>(deltas[i]));
    }
    append_varint(out, zigzag(least));
    std::array<unsigned, minis> widths{};
    for (size_t i = 0; i < count; i++) {
      deltas[i] -= static_cast<uint64_t>(least);
      const auto width = static_cast<unsigned>(std::bit_width(deltas[i]));
      widths[i / mini] = std::max(widths[i / mini], width);
    }
    for (const unsigned width : widths) out += static_cast<char>(width);
    for (size_t m = 0; m * mini < count; m++)
      pack_bits(out, deltas.data() + m * mini, mini, widths[m]);
  }
}

std::string page_header(int32_t type, size_t size, size_t values, int32_t how) {
  std::string bytes;
  ThriftStruct header(bytes);
  header.i32(1, type);
  header.i32(2, static_cast<int32_t>(size));
  header.i32(3, static_cast<int32_t>(size));
  ThriftStruct inner = header.structure(type == page::data ? 5 : 7);
  inner.i32(1, static_cast<int32_t>(values));
  inner.i32(2, how);
  if (type == page::data) {
    inner.i32(3, encoding::rle);  // of the definition levels
    inner.i32(4, encoding::rle);  // of the repetition levels; there are none
  }
  inner.end();
  header.end();
  return bytes;
}

void add_schema(std::string& bytes, const std::vector<TableColumn>& columns) {
  ThriftStruct root(bytes);
  root.text(4, "schema");
  root.i32(5, static_cast<int32_t>(columns.size()));
  root.end();
  for (const TableColumn& column : columns) {
    const bool is_text = column.type == TableColumn::Type::Text;
    const bool is_signed = column.type == TableColumn::Type::Signed;
    ThriftStruct element(bytes);
    element.i32(1, is_text ? physical::byte_array : physical::int64);
    element.i32(3, optional);
    element.text(4, column.name);
    element.i32(6, is_text ? converted::utf8 : is_signed ? converted::int_64 : converted::uint_64);
    ThriftStruct logical = element.structure(10);
    if (is_text) {
      logical.structure(1).end();
    } else {
      ThriftStruct integer = logical.structure(10);
      integer.byte(1, 64);
      integer.boolean(2, is_signed);
      integer.end();
    }
    logical.end();
    element.end();
  }
}

}  // namespace

struct ParquetWriter::Chunk {
  uint64_t begin = 0;
  uint64_t data = 0;  // the data page; for texts, after the dictionary
  uint64_t end = 0;
};

struct ParquetWriter::RowGroup {
  size_t rows = 0;
  std::vector<Chunk> chunks;  // one per column
};

ParquetWriter::ParquetWriter(std::vector<TableColumn> columns, Out& out, size_t group_rows)
    : columns_(std::move(columns)), out_(out), group_rows_(group_rows), cells_(columns_.size()) {
  write(magic);
}

ParquetWriter::~ParquetWriter() = default;

ParquetWriter::Cells& ParquetWriter::next_cell() {
  assert(next_ < cells_.size());
  return cells_[next_++];
}

ParquetWriter& ParquetWriter::number(uint64_t value) {
  assert(columns_[next_].type != TableColumn::Type::Text);
  Cells& cells = next_cell();
  cells.present.push_back(1);
  cells.numbers.push_back(value);
  return *this;
}

ParquetWriter& ParquetWriter::text(std::string_view value) {
  assert(columns_[next_].type == TableColumn::Type::Text);
  Cells& cells = next_cell();
  cells.present.push_back(1);
  const auto [entry, is_new] =
      cells.index.try_emplace(valid_utf8(value), static_cast<uint32_t>(cells.index.size()));
  if (is_new) {
    append_u32(cells.dictionary, entry->first.size());
    cells.dictionary += entry->first;
    text_bytes_ += entry->first.size();
  }
  cells.numbers.push_back(entry->second);
  return *this;
}

ParquetWriter& ParquetWriter::null() {
  next_cell().present.push_back(0);
  return *this;
}

void ParquetWriter::end_row() {
  assert(next_ == columns_.size());
  next_ = 0;
  if (++rows_ >= group_rows_ || text_bytes_ >= enough_text) write_group();
}

void ParquetWriter::write(std::string_view bytes) {
  written_ += bytes.size();
  out_.text() += bytes;
  out_.flush_if_full();
}

ParquetWriter::Chunk ParquetWriter::write_column(const TableColumn& column, Cells& cells) {
  Chunk chunk{.begin = written_};
  const bool is_text = column.type == TableColumn::Type::Text;
  if (is_text) {
    write(page_header(page::dictionary, cells.dictionary.size(), cells.index.size(),
                      encoding::plain));
    write(cells.dictionary);
  }
  std::string levels;
  append_hybrid(levels, cells.present, 1);
  std::string body;
  append_u32(body, levels.size());
  body += levels;
  if (is_text) {
    const size_t last = cells.index.empty() ? 0 : cells.index.size() - 1;
    const auto width = std::max(1u, static_cast<unsigned>(std::bit_width(last)));
    body += static_cast<char>(width);
    append_hybrid(body, cells.numbers, width);
  } else {
    append_deltas(body, cells.numbers);
  }
  chunk.data = written_;
  write(page_header(page::data, body.size(), cells.present.size(),
                    is_text ? encoding::rle_dictionary : encoding::delta_binary_packed));
  write(body);
  chunk.end = written_;
  return chunk;
}

void ParquetWriter::write_group() {
  if (rows_ == 0) return;
  RowGroup group{.rows = rows_, .chunks = {}};
  for (size_t i = 0; i < columns_.size(); i++)
    group.chunks.push_back(write_column(columns_[i], cells_[i]));
  groups_.push_back(std::move(group));
  cells_.assign(columns_.size(), {});
  rows_ = 0;
  text_bytes_ = 0;
}

void ParquetWriter::finish() {
  write_group();
  std::string footer;
  ThriftStruct file(footer);
  uint64_t rows = 0;
  for (const RowGroup& group : groups_) rows += group.rows;
  file.i32(1, 2);  // the format version
  file.list(2, ThriftStruct::Element::Struct, columns_.size() + 1);
  add_schema(footer, columns_);
  file.i64(3, rows);
  file.list(4, ThriftStruct::Element::Struct, groups_.size());
  for (const RowGroup& group : groups_) {
    ThriftStruct row_group(footer);
    row_group.list(1, ThriftStruct::Element::Struct, columns_.size());
    for (size_t i = 0; i < columns_.size(); i++) {
      const Chunk& chunk = group.chunks[i];
      const bool is_text = columns_[i].type == TableColumn::Type::Text;
      ThriftStruct column(footer);
      column.i64(2, chunk.begin);
      ThriftStruct data = column.structure(3);
      data.i32(1, is_text ? physical::byte_array : physical::int64);
      data.list(2, ThriftStruct::Element::I32, is_text ? 3 : 2);
      data.element(encoding::rle);
      data.element(is_text ? encoding::rle_dictionary : encoding::delta_binary_packed);
      if (is_text) data.element(encoding::plain);
      data.list(3, ThriftStruct::Element::Text, 1);
      data.element(columns_[i].name);
      data.i32(4, uncompressed);
      data.i64(5, group.rows);
      data.i64(6, chunk.end - chunk.begin);
      data.i64(7, chunk.end - chunk.begin);
      data.i64(9, chunk.data);
      if (is_text) data.i64(11, chunk.begin);
      data.end();
      column.end();
    }
    row_group.i64(2, group.chunks.back().end - group.chunks.front().begin);
    row_group.i64(3, group.rows);
    row_group.end();
  }
  file.text(6, "skein");
  file.end();
  write(footer);
  std::string tail;
  append_u32(tail, footer.size());
  write(tail);
  write(magic);
}

}  // namespace skein
