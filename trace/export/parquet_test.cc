// tests/export checks that third-party readers read these files.
#include "trace/export/parquet.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein;

namespace {

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes)
    for (const int shift : {4, 0})
      text += "0123456789abcdef"[static_cast<uint8_t>(byte) >> shift & 15];
  return text;
}

std::string written(size_t rows, size_t group_rows) {
  std::string file;
  Out out([&](std::string_view piece) { return file += piece, true; });
  ParquetWriter table({{"id", TableColumn::Type::Unsigned}, {"name", TableColumn::Type::Text}}, out,
                      group_rows);
  for (size_t i = 0; i < rows; i++) {
    table.number(i);
    if (i % 2 == 0)
      table.null();
    else
      table.text("odd");
    table.end_row();
  }
  table.finish();
  REQUIRE(out.finish());
  return file;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) found++;
  return found;
}

}  // namespace

TEST_CASE("three rows, byte for byte") {
  // DuckDB 1.5 and hyparquet 1.31 read (0, null), (1, 'odd'), (2, null) from these bytes.
  CHECK(hexadecimal(written(3, 10)) ==
        "504152311500152015202c1506150a150615060000020000000307800104030002000000001504150e15"
        "0e4c150215000000030000006f64641500151215122c1506151015061506000002000000030201030015"
        "04193c4806736368656d611504001504250218026964251c4cac134012000000150c250218046e616d65"
        "25004c1c0000001606191c192c26081c15041925060a1918026964150016061642164226080000264a1c"
        "150c19350610001918046e616d6515001606165c165c2672264a0000169e011606002805736b65696e00"
        "7f00000050415231");
}

TEST_CASE("a row group has a limited number of rows, and a separate dictionary") {
  CHECK(count(written(100, 100), "odd") == 1);
  CHECK(count(written(100, 30), "odd") == 4);
}

TEST_CASE("a table without rows is a file without row groups") {
  const std::string file = written(0, 10);
  CHECK(file.starts_with("PAR1"));
  CHECK(file.ends_with("PAR1"));
  CHECK(count(file, "name") == 1);  // in the schema
}
