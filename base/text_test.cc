#include "base/text.h"

#include <doctest/doctest.h>

#include "base/utf8.h"

using namespace skein;

TEST_CASE("safe_text replaces characters that are not safe to show") {
  CHECK(safe_text("ring.write #1 <b>&\"") == "ring.write #1 <b>&\"");  // callers escape markup
  CHECK(safe_text("f\u00fcnf \u65e5\u672c \U0001f600") == "f\u00fcnf \u65e5\u672c \U0001f600");
  CHECK(safe_text("a\x1b[2Jb") == "a\ufffd[2Jb");
  CHECK(safe_text("a\u009b31mb") == "a\ufffd31mb");
  CHECK(safe_text("one\ntwo\r\tthree") == "one\ufffdtwo\ufffd\ufffdthree");
  CHECK(safe_text(std::string_view("a\0b\x7f", 4)) == "a\ufffdb\ufffd");
  CHECK(safe_text("user\u202etxt.exe\u2066x\u2069") == "user\ufffdtxt.exe\ufffdx\ufffd");
  CHECK(safe_text("\u200e\u200f\u061c\u2028") == "\ufffd\ufffd\ufffd\ufffd");
  CHECK(safe_text("bad \xff\xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82") ==
        "bad \ufffd\ufffd\ufffd \ufffd\ufffd\ufffd \ufffd\ufffd\ufffd\ufffd \ufffd\ufffd");
}

TEST_CASE("combining marks beyond four are replaced") {
  const std::string mark = "\u0301";
  CHECK(safe_text("e" + mark + mark + "x" + mark) == "e" + mark + mark + "x" + mark);
  std::string tower = "e", cut = "e";
  for (int i = 0; i < 7; i++) {
    tower += mark;
    cut += i < 4 ? mark : "\ufffd";
  }
  CHECK(safe_text(tower + "y" + mark) == cut + "y" + mark);
  CHECK(safe_text(cut) == cut);
}

TEST_CASE("a long text is truncated between characters") {
  const std::string long_text(1 << 20, 'x');
  CHECK(safe_text(long_text) == std::string(256, 'x') + "\u2026");
  CHECK(safe_text("abc", 3) == "abc");
  CHECK(safe_text("abcd", 3) == "abc\u2026");
  CHECK(safe_text("\u65e5\u672c", 5) == "\u65e5\u2026");
  const std::string bad(1 << 20, '\xff');
  CHECK(safe_text(bad).size() <= 256 + 3);
}

TEST_CASE("any bytes become visible, valid UTF-8") {
  std::string text;
  for (int byte = 0; byte < 256; byte++)
    for (int next = 0; next < 256; next += 3) {
      text += static_cast<char>(byte);
      text += static_cast<char>(next);
    }
  std::string_view safe;
  const std::string made = safe_text(text, text.size() * 4);
  for (safe = made; !safe.empty();) {
    const CodePoint point = decode_utf8(safe);
    REQUIRE(point.size != 0);
    REQUIRE((point.code == 0xfffd || !is_hidden(point.code)));
    safe.remove_prefix(point.size);
  }
}

TEST_CASE("numbers") {
  CHECK(address_text(0) == "0x0");
  CHECK(address_text(0x7ffd01c0) == "0x7ffd01c0");
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(UINT64_MAX) == "18,446,744,073,709,551,615");
  CHECK(seconds(0) == "0.000000000");
  CHECK(seconds(5'898'599'766) == "5.898599766");
  CHECK(seconds(UINT64_MAX) == "18446744073.709551615");
  std::string text;
  append_signed(text, INT64_MIN);
  append_number(text, UINT64_MAX);
  CHECK(text == "-922337203685477580818446744073709551615");
}

TEST_CASE("durations have three digits") {
  CHECK(duration_text(0.0) == "0 ns");
  CHECK(duration_text(uint64_t{999}) == "999 ns");
  CHECK(duration_text(1000.0) == "1.00 us");
  CHECK(duration_text(uint64_t{1'250'000}) == "1.25 ms");
  CHECK(duration_text(12.5e6) == "12.5 ms");
  CHECK(duration_text(999'999'999.0) == "1.00 s");
  CHECK(duration_text(3e9) == "3.00 s");
  CHECK(duration_text(59e9) == "59.0 s");
  CHECK(duration_text(600e9) == "600 s");
  CHECK(duration_text(1000e9) == "16.7 min");
  CHECK(duration_text(7200e9) == "2.00 h");
  CHECK(duration_text(86400e9 * 400) == "400 d");
  CHECK(duration_text(-5e3) == "-5.00 us");
  CHECK(duration_text(0.0 / 0.0) == "?");
  CHECK(duration_text(1e300) == "for ever");
}

TEST_CASE("counts") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(-17) == "-17");
  CHECK(count_text(9999) == "9999");
  CHECK(count_text(14'600) == "14.6 k");
  CHECK(count_text(146'000) == "146 k");
  CHECK(count_text(1'460'000) == "1.46 M");
  CHECK(count_text(INT64_MIN) == "-9.22 E");
}

TEST_CASE("a time has the precision of the step") {
  CHECK(time_text(0, 1'000'000) == "0 ms");
  CHECK(time_text(1'500'000'000, 500'000'000) == "1.5 s");
  CHECK(time_text(6'777'600'000, 100'000) == "6.7776 s");
  CHECK(time_text(20'000, 5'000) == "20 us");
  CHECK(time_text(500, 50) == "500 ns");
  CHECK(time_text(-2'000'000, 1'000'000) == "-2 ms");
}

TEST_CASE("UTC") {
  CHECK(utc_text(0, 1'000'000'000) == "1970-01-01 00:00:00 UTC");
  CHECK(utc_text(1'417'600'800'123'456'789, 1'000'000) == "2014-12-03 10:00:00.123 UTC");
  CHECK(utc_text(951'782'400'000'000'000, 1'000'000'000) == "2000-02-29 00:00:00 UTC");
  CHECK(utc_text(-1, 1) == "1969-12-31 23:59:59.999999999 UTC");
  CHECK(utc_clock_text(1'417'600'800'123'456'789, 1'000'000) == "10:00:00.123");
  CHECK(utc_clock_text(-1, 1'000'000'000) == "23:59:59");
  CHECK(utc_iso_text(1'417'600'800'123'456'789) == "2014-12-03T10:00:00.123456789Z");
}

TEST_CASE("a count agrees with its noun") {
  CHECK(counted(0, "task") == "0 tasks");
  CHECK(counted(1, "task") == "1 task");
  CHECK(counted(12'345, "task") == "12,345 tasks");
  CHECK(counted(1, "loss", "losses") == "1 loss");
  CHECK(counted(2, "loss", "losses") == "2 losses");
}

TEST_CASE("terminal cells") {
  CHECK(terminal_cells("") == 0);
  CHECK(terminal_cells("ab") == 2);
  CHECK(terminal_cells("\u65e5") == 2);
  CHECK(terminal_cells("e\u0301") == 1);
  CHECK(terminal_cells("\xff\xfe") == 2);
  CHECK(first_cells("\u65e5\u672c", 3) == "\u65e5");
  CHECK(first_cells("e\u0301x", 1) == "e\u0301");
  CHECK(first_cells("ab", 2) == "ab");
  CHECK(last_cells("\u65e5\u672c", 3) == "\u672c");
  CHECK(last_cells("ae\u0301x", 2) == "e\u0301x");
  CHECK(last_cells("e\u0301x", 1) == "x");
  CHECK(last_cells("ab", 0) == "");
}

TEST_CASE("columns are aligned, without trailing spaces") {
  std::string out;
  append_columns(out, {{"a", "1", "x"}, {"bcd", "100", ""}}, "<><", 2);
  CHECK(out == "  a      1  x\n  bcd  100\n");
  out.clear();
  append_columns(out, {{"\u65e5\u672c", "x"}, {"abc", "y"}}, "<<", 0);
  CHECK(out == "\u65e5\u672c  x\nabc   y\n");
}

TEST_CASE("a paragraph is at most 100 characters wide unless a word is longer") {
  std::string out;
  append_paragraph(out, std::string(60, 'a') + ' ' + std::string(60, 'b'), 2);
  CHECK(out == "  " + std::string(60, 'a') + "\n  " + std::string(60, 'b') + '\n');
  out.clear();
  append_paragraph(out, std::string(120, 'a') + " b", 0);
  CHECK(out == std::string(120, 'a') + "\nb\n");
  out.clear();
  append_paragraph(out, "one two three", 2, 10);
  CHECK(out == "  one two\n  three\n");
}
