#include "cli/query_output.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

using namespace skein::cli;

namespace {

// What the rows of a SELECT look like.
std::string shown(QueryFormat format, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(":memory:", &database) == SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
  std::FILE* const file = std::tmpfile();
  REQUIRE(file);
  Output out(file);
  QueryOutput output(out, format);
  output.begin(statement);
  while (sqlite3_step(statement) == SQLITE_ROW) output.row();
  output.end();
  out.finish();
  sqlite3_finalize(statement);
  sqlite3_close(database);
  std::string text(static_cast<size_t>(std::ftell(file)), ' ');
  std::rewind(file);
  CHECK(std::fread(text.data(), 1, text.size(), file) == text.size());
  std::fclose(file);
  return text;
}

const std::string hostile = "SELECT CAST(x'6100622c22270a0dff1b5b33316dc3a9e280ae' AS TEXT) AS t";

}  // namespace

TEST_CASE("text is aligned: numbers to the right, texts to the left, by cells of a terminal") {
  CHECK(shown(QueryFormat::Text,
              "SELECT 1 AS n, 'a' AS t, 2.5 AS r UNION ALL SELECT 100, '\u65e5\u672c', NULL") ==
        "  n  t       r\n"
        "  1  a     2.5\n"
        "100  \u65e5\u672c    -\n");
  CHECK(shown(QueryFormat::Text, "SELECT 1 AS a, 2 AS b WHERE 0") == "a  b\n");
  CHECK(shown(QueryFormat::Text, "SELECT x'00ff' AS b") == "b\nx'00ff'\n");
}

TEST_CASE("of many rows the first decide about the width") {
  const std::string text = shown(
      QueryFormat::Text,
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2001) SELECT CASE "
      "WHEN i = 2001 THEN 'wide' ELSE 'n' END AS t, i FROM n");
  CHECK(text.starts_with("t     i\nn     1\n"));
  CHECK(text.ends_with("n  2000\nwide  2001\n"));
}

TEST_CASE("strange texts harm nobody") {
  CHECK(shown(QueryFormat::Text, hostile) ==
        "t\na\\x00b,\\\"'\\n\\x0d\\xff\\x1b[31m\u00e9\\u{202e}\n");
  CHECK(shown(QueryFormat::Csv, hostile) == "t\n\"a\\x00b,\"\"'\n\r\\xff\\x1b[31m\u00e9\u202e\"\n");
  const auto json = nlohmann::json::parse(shown(QueryFormat::Json, hostile));
  const std::string text = json[0]["t"];
  CHECK(text.starts_with(std::string_view("a\0b,\"'\n\r", 8)));
  CHECK(text.find("xff") != std::string::npos);
}

TEST_CASE("CSV tells nothing from an empty text, and quotes what needs it") {
  CHECK(shown(QueryFormat::Csv,
              "SELECT NULL AS a, '' AS b, 'x y' AS c, ' x' AS d, 'p,q' AS 'e,f', -1.5 AS g") ==
        "a,b,c,d,\"e,f\",g\n,\"\",x y,\" x\",\"p,q\",-1.5\n");
}

TEST_CASE("JSON has all types, and each name once") {
  const std::string text =
      shown(QueryFormat::Json, "SELECT 1 AS a, 'x' AS a, NULL AS \"q\"\"\", 0.5 AS r, x'01' AS b");
  CHECK(text == "[\n{\"a\":1,\"a:1\":\"x\",\"q\\\"\":null,\"r\":0.5,\"b\":\"x'01'\"}\n]\n");
  CHECK(shown(QueryFormat::Json, "SELECT 1 WHERE 0") == "[]\n");
  CHECK(shown(QueryFormat::Json, "SELECT 9e999 AS i, -9e999 AS j") ==
        "[\n{\"i\":1e999,\"j\":-1e999}\n]\n");
  CHECK(shown(QueryFormat::Json, "SELECT 1 AS a UNION ALL SELECT 2") ==
        "[\n{\"a\":1},\n{\"a\":2}\n]\n");
}
