// Makes untrusted strings safe to print: a label in a trace must not move the cursor, set the
// window title, reverse the direction of a line or imitate another line.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// Appends `text` as one line of harmless UTF-8. Control characters, invisible characters and
// bidirectional overrides become \n, \t, \x1b or \u{202e}; bytes that are not UTF-8 become \xff.
// Backslashes and quotation marks are escaped with a backslash, so that a quoted string ends at its
// closing quotation mark.
void append_escaped(std::string& out, std::string_view text);
std::string escaped(std::string_view text);

// Appends `text` as a JSON string, including quotation marks. Bytes that are not UTF-8, which JSON
// cannot represent, become \\xff, so that different labels stay different.
void append_json(std::string& out, std::string_view text);

// Appends `text` as a cell of a CSV file (RFC 4180), in quotation marks if necessary. Characters
// are escaped as by append_escaped, except tabs, line feeds, backslashes and quotation marks. A
// spreadsheet would execute a text that begins with = + - or @, or with a tab or a line break: such
// a text is preceded by an apostrophe, and so is one that begins with an apostrophe. The same is
// done behind each semicolon, tab and line break in it, where some spreadsheets begin another cell.
// Removing these apostrophes restores the text. Numbers are unchanged. An empty text is "".
void append_csv(std::string& out, std::string_view text);

// Appends text as the content of an XML element or attribute. What XML 1.0 cannot represent, such
// as control characters and bytes that are not UTF-8, becomes \x1b or \xff.
void append_xml(std::string& out, std::string_view text);

// Returns `text` with bytes that are not UTF-8 replaced as in JSON, for binary formats.
std::string valid_utf8(std::string_view text);

}  // namespace skein
