#include "trace/export/csv.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein;

TEST_CASE("cells follow RFC 4180") {
  std::string file;
  Out out([&](std::string_view piece) { return file += piece, true; });
  CsvWriter table({{"id", TableColumn::Type::Unsigned},
                   {"change", TableColumn::Type::Signed},
                   {"text", TableColumn::Type::Text}},
                  out);
  table.number(UINT64_MAX).number(UINT64_MAX).text("plain").end_row();
  table.number(0).null().text("two\nlines, \"quoted\"").end_row();
  table.null().number(5).text(" spaces ").end_row();
  table.null().null().text("\xff").end_row();
  table.null().null().text("=1+1\x1b").end_row();
  table.null().null().text("").end_row();
  table.finish();
  REQUIRE(out.finish());
  CHECK(file ==
        "id,change,text\r\n"
        "18446744073709551615,-1,plain\r\n"
        "0,,\"two\nlines, \"\"quoted\"\"\"\r\n"
        ",5,\" spaces \"\r\n"
        ",,\\xff\r\n"
        ",,'=1+1\\x1b\r\n"
        ",,\r\n");
}
