#include "cli/output/terminal.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/text.h"

using namespace skein;
using namespace skein::cli;

TEST_CASE("a line that fits is unchanged") {
  CHECK(wrapped("", 20) == "");
  CHECK(wrapped("a b\n\n  c\n", 20) == "a b\n\n  c\n");
  CHECK(wrapped("12345678901234567890", 20) == "12345678901234567890");
  CHECK(wrapped("\u00b5\u00b5\u00b5\u00b5 \u00b5", 6) == "\u00b5\u00b5\u00b5\u00b5 \u00b5");
}

TEST_CASE("a line breaks between words and keeps its indentation") {
  CHECK(wrapped("one two three four\n", 10) == "one two\nthree four\n");
  CHECK(wrapped("  one two three\n", 10) == "  one two\n  three\n");
}

TEST_CASE("a paragraph that was wrapped for 100 columns is wrapped again") {
  std::string text, expected;
  for (int i = 0; i < 40; i++) text += (i == 0 ? "word" : " word");
  std::string broken;
  append_paragraph(broken, text, 2);
  CHECK(std::count(broken.begin(), broken.end(), '\n') == 3);
  const std::string out = wrapped(broken + "  word\n", 42);
  for (int i = 0; i < 5; i++) expected += "  word word word word word word word word\n";
  CHECK(out == expected + "  word\n");
}

TEST_CASE("a row of a table breaks between its columns") {
  CHECK(wrapped("  query (#7)  waits for x y  arp.cc:7", 30) ==
        "  query (#7)  waits for x y\n      arp.cc:7");
  CHECK(wrapped("  query (#7)  waits for x y  Arp query arp.cc:7", 34) ==
        "  query (#7)  waits for x y\n      Arp query arp.cc:7");
}

TEST_CASE("a word that is too long has a separate line") {
  CHECK(wrapped("a 1234567890123 b", 10) == "a\n1234567890123\nb");
  CHECK(wrapped("12345678901234", 10) == "12345678901234");
}

TEST_CASE("a location becomes a link to its file, if the file exists") {
  const auto folder = std::filesystem::temp_directory_path() / "skein terminal_test";
  std::filesystem::create_directories(folder);
  const std::string here = (folder / "arp.cc").string();
  std::ofstream(here) << "x";
  Trace trace;
  trace.locations.push_back({.file = trace.strings.intern(here), .line = 7});
  trace.locations.push_back({.file = trace.strings.intern("/nowhere/gone.cc"), .line = 8});
  const std::string out =
      linked("waits (query arp.cc:7), then arp.cc:71 and gone.cc:8 in arp.cc:7.\n", trace);
  std::filesystem::remove_all(folder);
  const size_t begin = out.find("\033]8;;file://");
  REQUIRE(begin != std::string::npos);
  CHECK(out.substr(0, begin) == "waits (query ");
  CHECK(out.find("/skein%20terminal_test/arp.cc#7\033\\arp.cc:7\033]8;;\033\\), then arp.cc:71 and "
                 "gone.cc:8 in \033]8;;file://") != std::string::npos);
  CHECK(out.ends_with("arp.cc:7\033]8;;\033\\.\n"));
}

TEST_CASE("text is unchanged if the output is not a terminal") {
  // Skipped in a terminal. ctest reads the output through a pipe.
  if (find_terminal().is_terminal) return;
  CHECK(for_terminal(std::string(300, 'x') + " y", Trace()) == std::string(300, 'x') + " y");
}
