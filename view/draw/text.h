// Texts of the picture: how wide they are, how they are cut, how numbers read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skein {

// Width in pixels of a text of that height in the sans-serif fonts that shells use, from a table:
// exact enough to place labels, and the same everywhere.
float text_width(std::string_view text, float size);

// The longest beginning that fits, with an ellipsis if something is missing; empty when not even
// three characters would be left of it.
std::string fit_text(std::string_view text, float size, float width);

// How many cells of a terminal a character takes: 0 (it combines with the one before), 1 or 2.
int terminal_cells(uint32_t code);

// As it may be shown anywhere: bad UTF-8, control characters, escape sequences and bidirectional
// overrides, and marks on a character beyond four, replaced by U+FFFD; cut after `longest` bytes
// with an ellipsis.
std::string safe_text(std::string_view text, size_t longest = 256);

// "1.25 ms", "3.00 s": three digits, for people.
std::string duration_text(double ns);
// "1460", "14.6 k", "1.46 M".
std::string count_text(int64_t value);
// A time as exact as `step` needs: "6.7776 s" for a step of 100 us.
std::string time_text(int64_t ns, int64_t step);
// "2014-12-03 10:00:00.123 UTC", as exact as `step` needs.
std::string utc_text(int64_t ns_since_1970, int64_t step);

}  // namespace skein
