// Formats numbers, durations and untrusted text for users. Every view and command uses these
// functions, so that a value looks the same everywhere. Use base/escape.h for output that must be
// unambiguous, and safe_text for output that must look right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

// Replaces invalid UTF-8, control characters, escape sequences, bidirectional overrides, and marks
// on a character beyond four, by U+FFFD; truncates after `longest` bytes with an ellipsis.
std::string safe_text(std::string_view text, size_t longest = 256);

// The number of terminal cells of a character: 0 (it combines with the previous one), 1 or 2.
int terminal_cells(uint32_t code);
// The number of terminal cells of a string; each byte that is not UTF-8 takes one.
size_t terminal_cells(std::string_view text);
// The longest prefix and the longest suffix of a text that take at most `cells` cells.
std::string_view first_cells(std::string_view text, size_t cells);
std::string_view last_cells(std::string_view text, size_t cells);

void append_number(std::string& out, uint64_t number);
void append_signed(std::string& out, int64_t number);
// "10,078"
std::string grouped(uint64_t number);
// "0x7ffd01c0"
std::string address_text(uint64_t address);
// "1 packet", "10,078 packets"
std::string counted(uint64_t count, std::string_view noun);
// "2 losses"
std::string counted(uint64_t count, std::string_view noun, std::string_view nouns);
// "1460", "14.6 k", "1.46 M".
std::string count_text(int64_t value);

// "1.25 ms", "3.00 s": three digits.
std::string duration_text(double ns);
std::string duration_text(uint64_t ns);
// "5.898599766": a time in seconds, exact.
void append_seconds(std::string& out, uint64_t ns);
std::string seconds(uint64_t ns);
// A time with the precision of `step`: "6.7776 s" for a step of 100 us.
std::string time_text(int64_t ns, int64_t step);
// "2014-12-03 10:00:00.123 UTC", with the precision of `step`.
std::string utc_text(int64_t ns_since_1970, int64_t step);
// The time of day alone: "10:00:00.123".
std::string utc_clock_text(int64_t ns_since_1970, int64_t step);
// In ISO 8601, for data: "2014-12-03T10:00:00.123456789Z".
std::string utc_iso_text(int64_t ns_since_1970);

// Appends rows of cells, aligned in columns by their terminal cells: `indent` spaces before, two
// between columns, none at the end. `align` has '<' (left) or '>' (right) for each column.
void append_columns(std::string& out, const std::vector<std::vector<std::string>>& rows,
                    std::string_view align, size_t indent);

// The maximum width of text, even on a wider terminal: long lines are hard to read.
inline constexpr size_t most_columns = 100;

// Wraps text at `columns` and most_columns, between words, with each line indented by `indent`.
void append_paragraph(std::string& out, std::string_view text, size_t indent,
                      size_t columns = most_columns);

}  // namespace skein
