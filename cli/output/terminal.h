// The terminals that standard output and standard error are, and text that fits them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/read/trace.h"

namespace skein::cli {

struct Terminal {
  bool is_terminal = false;
  uint32_t columns = 80;  // COLUMNS and LINES where the terminal does not report its size
  uint32_t lines = 24;
  bool has_links = false;  // OSC 8; docs/man/skein.1 lists when
};
Terminal find_terminal(int fd = 1);  // standard output

// How wide text for a person is: as the terminal that standard output is, at least 40 columns; 100
// without one.
size_t text_columns();

// Does the locale (LC_ALL, else LC_CTYPE, else LANG) name a character set other than UTF-8, as "C"
// does? Without any of the three, as in many containers, it is taken to be UTF-8.
bool locale_is_ascii();

// Breaks each line that is wider than `columns`: a row of a table between its columns, and what
// follows is indented by four more, or by `hanging` columns; other lines between words. A paragraph
// that was broken for 100 columns (base/text.h) is broken anew. A word that does not fit has a line
// of its own.
std::string wrapped(std::string_view text, size_t columns, size_t hanging = 0);

// "skein: <message>" as a line for standard error: escaped, and broken if that is a terminal.
std::string message_line(std::string_view message);
// Writes it there.
void report_message(std::string_view message);

// Makes each "file.cc:7" in `text` that is a location of the trace a hyperlink (OSC 8) to its
// source file, which must exist on this machine: a path that is not absolute is looked up in the
// current directory.
std::string linked(std::string_view text, const Trace& trace);

// For a person: both, if standard output is a terminal; else `text` unchanged.
std::string for_terminal(std::string text, const Trace& trace);

}  // namespace skein::cli
