// Rows and the lines of the picture they are in. A row with nothing in sight can be folded away: it
// has no height then, and the rows around it meet.
//
//   row    0  1  2  3  4                      a Lines of n + 1 numbers: of each row its line, and
//   line   0  -  -  1  2    = {0,1,1,1,2,3}   the number of lines; what is folded has the next's
//
// Empty: every row has a line of its own. Rows and lines between whole ones are parts of one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace skein {

using Lines = std::span<const uint32_t>;

inline bool is_folded(Lines lines, size_t row) {
  return row + 1 < lines.size() && lines[row] == lines[row + 1];
}

inline double line_of(Lines lines, double row) {
  if (lines.empty() || !(row > 0)) return row;
  const auto rows = static_cast<double>(lines.size() - 1);
  if (row >= rows) return lines.back() + (row - rows);
  const auto whole = static_cast<size_t>(row);
  return lines[whole] + (row - static_cast<double>(whole)) * (lines[whole + 1] - lines[whole]);
}

// The row that is open in that line.
inline double row_in(Lines lines, double line) {
  if (lines.empty() || !(line >= 0)) return line;
  if (line >= lines.back()) return static_cast<double>(lines.size() - 1) + (line - lines.back());
  const auto whole = static_cast<uint32_t>(line);
  const auto after = std::upper_bound(lines.begin(), lines.end(), whole);
  return static_cast<double>(after - lines.begin() - 1) + (line - whole);
}

}  // namespace skein
