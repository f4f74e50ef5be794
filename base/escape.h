// Makes texts from outside safe to print: a label in a trace must not move the cursor, set the
// window's title, reverse the direction of a line or pretend to be another one.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// Appends `text` so that it is one line of harmless UTF-8: control characters, invisible and
// direction-changing ones become \n, \t, \x1b, \u{202e}; bytes that are no UTF-8 become \xff; a
// backslash becomes two, and so does a quotation mark get one, so that what stands in quotation
// marks ends at the right one.
void append_escaped(std::string& out, std::string_view text);
std::string escaped(std::string_view text);

// Appends `text` as a JSON string with its quotation marks. What is no UTF-8 becomes \\xff: JSON
// cannot hold it, and two different labels must not become the same.
void append_json(std::string& out, std::string_view text);

// The same text without what is no UTF-8, for other writers of JSON.
std::string valid_utf8(std::string_view text);

}  // namespace skein
