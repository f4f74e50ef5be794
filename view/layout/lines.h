// Maps rows to lines of the picture. A row with nothing visible can be folded: it then has no
// height, and the rows around it meet.
//
//   row    0  1  2  3  4                      a Lines of n + 1 numbers: each row's line, then the
//   line   0  -  -  1  2    = {0,1,1,1,2,3}   number of lines; a folded row has the next row's line
//
// Empty: every row has its own line. Fractional rows and lines are positions within one.
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

// The open row in that line.
inline double row_in(Lines lines, double line) {
  if (lines.empty() || !(line >= 0)) return line;
  if (line >= lines.back()) return static_cast<double>(lines.size() - 1) + (line - lines.back());
  const auto whole = static_cast<uint32_t>(line);
  const auto after = std::upper_bound(lines.begin(), lines.end(), whole);
  return static_cast<double>(after - lines.begin() - 1) + (line - whole);
}

}  // namespace skein
