#include "base/escape.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein;

namespace {

std::string json(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

std::string xml(std::string_view text) {
  std::string out;
  append_xml(out, text);
  return out;
}

std::string csv(std::string_view text) {
  std::string out;
  append_csv(out, text);
  return out;
}

}  // namespace

TEST_CASE("ordinary text is unchanged") {
  CHECK(escaped("Netif.rx_poll #1 (ok)") == "Netif.rx_poll #1 (ok)");
  CHECK(escaped("fünf \u20ac \u65e5\u672c \U0001f600") == "fünf \u20ac \u65e5\u672c \U0001f600");
  CHECK(escaped("") == "");
}

TEST_CASE("control characters are escaped") {
  CHECK(escaped("\x1b[2J\x1b]0;title\a") == "\\x1b[2J\\x1b]0;title\\x07");
  CHECK(escaped("one\ntwo\r\tthree") == "one\\ntwo\\x0d\\tthree");
  CHECK(escaped(std::string_view("a\0b\x7f", 4)) == "a\\x00b\\x7f");
  CHECK(escaped("\u009b31m") == "\\u{009b}31m");  // the one-character form of ESC [
}

TEST_CASE("quotation marks and backslashes are escaped") {
  CHECK(escaped("run \"hi\" \\x1b") == "run \\\"hi\\\" \\\\x1b");
}

TEST_CASE("invisible characters and bidirectional overrides are escaped") {
  CHECK(escaped("a\u202eb\u2066c\u200bd\ufeff") == "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{feff}");
  CHECK(escaped("\u2028\U000e0041") == "\\u{2028}\\u{e0041}");
}

TEST_CASE("invalid UTF-8 is shown byte by byte") {
  CHECK(escaped("\xff") == "\\xff");
  CHECK(escaped("\xc3") == "\\xc3");
  CHECK(escaped("\xc3(") == "\\xc3(");
  CHECK(escaped("\xc0\x80") == "\\xc0\\x80");           // overlong NUL
  CHECK(escaped("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");  // overlong slash
  CHECK(escaped("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // surrogate
  CHECK(escaped("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("CSV cells") {
  CHECK(csv("plain text") == "plain text");
  CHECK(csv("") == "\"\"");
  CHECK(csv(" x") == "\" x\"");
  CHECK(csv("a,b \"c\"\n") == "\"a,b \"\"c\"\"\n\"");
  CHECK(csv("a\\b\x1b[2J\r\xff") == "a\\b\\x1b[2J\\x0d\\xff");
  CHECK(csv("a\u009b\u202e\u2066\u200f\u061c") == "a\\u{009b}\\u{202e}\\u{2066}\\u{200f}\\u{061c}");
}

TEST_CASE("a CSV cell is never a formula") {
  CHECK(csv("=1+1") == "'=1+1");
  CHECK(csv("=HYPERLINK(\"http://x\",\"y\")") == "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
  CHECK(csv("+cmd|' /C calc'!A0") == "'+cmd|' /C calc'!A0");
  CHECK(csv("a;=1+1") == "\"a;'=1+1\"");
  CHECK(csv("x;=cmd|'/C calc'!A0;y") == "\"x;'=cmd|'/C calc'!A0;y\"");
  CHECK(csv("a;-5;\t+x;'") == "\"a;-5;'\t'+x;''\"");
  CHECK(csv("a;\"=1") == "\"a;'\"\"=1\"");
  CHECK(csv("-2+3") == "'-2+3");
  CHECK(csv("--1") == "'--1");
  CHECK(csv("-") == "'-");
  CHECK(csv("@SUM(1)") == "'@SUM(1)");
  CHECK(csv("\t=1") == "\"'\t'=1\"");
  CHECK(csv("\r=1") == "'\\x0d=1");
  CHECK(csv("\n=1") == "\"'\n'=1\"");
  CHECK(csv("\uff1d1") == "'\uff1d1");
  CHECK(csv(" =1") == "\"' =1\"");
  CHECK(csv("  ") == "\"  \"");
  CHECK(csv(" -5") == "\" -5\"");
  CHECK(csv("'=1") == "''=1");  // removing one apostrophe restores every text
  for (const char* number : {"-5", "+5", "-1.5e3", "0", "-.5", "-1."}) CHECK(csv(number) == number);
  for (const char* text : {"-.", "-1e", "+1e+", "-1x", "-1.2.3", "-inf"})
    CHECK(csv(text) == "'" + std::string(text));
}

TEST_CASE("JSON strings") {
  CHECK(json("plain") == "\"plain\"");
  CHECK(json("\"\\\n\x1b") == "\"\\\"\\\\\\u000a\\u001b\"");
  CHECK(json("\u202e\U000e0041") == "\"\\u202e\\udb40\\udc41\"");
  CHECK(json("fünf\xff") == "\"fünf\\\\xff\"");
  CHECK(valid_utf8("fünf\xff\n") == "fünf\\xff\n");
}

TEST_CASE("XML has no markup, control characters or invalid bytes") {
  CHECK(xml("a < b && \"c\" > d") == "a &lt; b &amp;&amp; &quot;c&quot; &gt; d");
  CHECK(xml("one\ntwo\tthree") == "one\ntwo\tthree");
  CHECK(xml("\x1b[31mred") == "\\x1b[31mred");
  CHECK(xml(std::string_view("\0", 1)) == "\\x00");
  CHECK(xml("\xff\xfe") == "\\xff\\xfe");
  CHECK(xml("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
  CHECK(xml("\xef\xbf\xbf") == "\\xef\\xbf\\xbf");
  CHECK(xml("\xc2\x85") == "\\xc2\\x85");
  CHECK(xml("]]>") == "]]&gt;");
}
