#include "report/query.h"

#include <doctest/doctest.h>

using namespace skein;

namespace {

using Cell = QueryCell;
using Rows = std::vector<std::vector<Cell>>;

Cell number_cell(std::string_view text) { return {Cell::Type::Number, text}; }
Cell text(std::string_view bytes) { return {Cell::Type::Text, bytes}; }
Cell blob(std::string_view bytes) { return {Cell::Type::Blob, bytes}; }
constexpr Cell null = {};

std::string shown(QueryFormat format, const std::vector<std::string_view>& columns,
                  const Rows& rows) {
  std::string out;
  QueryOutput output(out, format);
  output.begin(columns);
  for (const std::vector<Cell>& row : rows) output.row(row);
  output.end();
  CHECK(output.rows() == rows.size());
  return out;
}

const Rows hostile = {{text(std::string_view("a\0b,\"'\n\r\xff\x1b[31m\u00e9\u202e", 19))}};

}  // namespace

TEST_CASE("text is aligned by terminal cells: numbers to the right, texts to the left") {
  CHECK(shown(QueryFormat::Text, {"n", "t", "r"},
              {{number_cell("1"), text("a"), number_cell("2.5")},
               {number_cell("100"), text("\u65e5\u672c"), null}}) ==
        "  n  t       r\n"
        "  1  a     2.5\n"
        "100  \u65e5\u672c    -\n");
  CHECK(shown(QueryFormat::Text, {"a", "b"}, {}) == "a  b\n");
  CHECK(shown(QueryFormat::Text, {"b"}, {{blob(std::string_view("\0\xff", 2))}}) == "b\nx'00ff'\n");
}

TEST_CASE("the first thousand rows determine the widths") {
  std::vector<std::string> numbers;
  for (int i = 1; i <= 2001; i++) numbers.push_back(std::to_string(i));
  Rows rows;
  for (const std::string& n : numbers)
    rows.push_back({text(rows.size() == 2000 ? "wide" : "n"), number_cell(n)});
  const std::string table = shown(QueryFormat::Text, {"t", "i"}, rows);
  CHECK(table.starts_with("t     i\nn     1\n"));
  CHECK(table.ends_with("n  2000\nwide  2001\n"));
}

TEST_CASE("control characters and invalid UTF-8 are escaped") {
  CHECK(shown(QueryFormat::Text, {"t"}, hostile) ==
        "t\na\\x00b,\\\"'\\n\\x0d\\xff\\x1b[31m\u00e9\\u{202e}\n");
  CHECK(shown(QueryFormat::Csv, {"t"}, hostile) ==
        "t\n\"a\\x00b,\"\"'\n'\\x0d\\xff\\x1b[31m\u00e9\\u{202e}\"\n");
  CHECK(shown(QueryFormat::Json, {"t"}, hostile) ==
        "[\n{\"t\":\"a\\u0000b,\\\"'\\u000a\\u000d\\\\xff\\u001b[31m\u00e9\\u202e\"}\n]\n");
}

TEST_CASE("CSV distinguishes NULL from an empty text, and quotes what needs it") {
  CHECK(shown(QueryFormat::Csv, {"a", "b", "c", "d", "e,f", "g"},
              {{null, text(""), text("x y"), text(" x"), text("p,q"), number_cell("-1.5")}}) ==
        "a,b,c,d,\"e,f\",g\n,\"\",x y,\" x\",\"p,q\",-1.5\n");
}

TEST_CASE("CSV has no formulas") {
  CHECK(shown(QueryFormat::Csv, {"=a", "b", "c"}, {{text("=1+1"), text("-5"), number_cell("-5")}}) ==
        "'=a,b,c\n'=1+1,-5,-5\n");
}

TEST_CASE("JSON has all types and unique names") {
  CHECK(shown(QueryFormat::Json, {"a", "a", "q\"", "r", "b"},
              {{number_cell("1"), text("x"), null, number_cell("0.5"), blob("\1")}}) ==
        "[\n{\"a\":1,\"a:1\":\"x\",\"q\\\"\":null,\"r\":0.5,\"b\":\"x'01'\"}\n]\n");
  CHECK(shown(QueryFormat::Json, {"1"}, {}) == "[]\n");
  CHECK(shown(QueryFormat::Json, {"i", "j"}, {{number_cell("Inf"), number_cell("-Inf")}}) ==
        "[\n{\"i\":1e999,\"j\":-1e999}\n]\n");
  CHECK(shown(QueryFormat::Json, {"a"}, {{number_cell("1")}, {number_cell("2")}}) ==
        "[\n{\"a\":1},\n{\"a\":2}\n]\n");
}
