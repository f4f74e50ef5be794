// Properties of the terminals on standard output and standard error, and text that fits them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/read/trace.h"

namespace skein::cli {

struct Terminal {
  bool is_terminal = false;
  uint32_t columns = 80;  // COLUMNS and LINES if the terminal does not report its size
  uint32_t lines = 24;
  bool has_links = false;  // OSC 8; docs/man/skein.1 lists when
};
Terminal find_terminal(int fd = 1);  // standard output

// Returns the width of text for users: that of the terminal on standard output, but at least 40
// columns; 100 without a terminal.
size_t text_columns();

// True if the locale (LC_ALL, else LC_CTYPE, else LANG) has a character set other than UTF-8, such
// as "C". If none of the three is set, as in many containers, UTF-8 is assumed.
bool locale_is_ascii();

// Wraps each line that is wider than `columns`. A row of a table breaks between its columns, and
// the rest is indented by four more, or by `hanging` columns. Other lines break between words. A
// paragraph that was wrapped for 100 columns (base/text.h) is wrapped again. A word that does not
// fit has a separate line.
std::string wrapped(std::string_view text, size_t columns, size_t hanging = 0);

// Returns the line "skein: <message>" for standard error: escaped, and wrapped if that is a
// terminal.
std::string message_line(std::string_view message);
// Writes that line to standard error.
void report_message(std::string_view message);

// Turns each "file.cc:7" in `text` that is a location of the trace into a hyperlink (OSC 8) to its
// source file, if that exists on this machine. A relative path is relative to the current
// directory.
std::string linked(std::string_view text, const Trace& trace);

// Wraps the text and adds links if standard output is a terminal; otherwise returns it unchanged.
std::string for_terminal(std::string text, const Trace& trace);

}  // namespace skein::cli
