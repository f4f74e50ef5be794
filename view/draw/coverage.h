// Which columns of a picture show intervals of which thousands may fall into one column.
//
//   Coverage sleeps(width);
//   sleeps.add(10.25, 10.5);                  // from, to, in columns
//   for (auto [first, end] : sleeps.runs(0))  // columns to fill: first to before end
//
// As many columns are filled as the intervals cover in all, rounded, but at least one. Where the
// intervals are shorter than a column, one column stands for a stretch of them: the one that they
// cover most. O(intervals + columns).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skein {

class Coverage {
 public:
  struct Run {
    size_t first = 0;
    size_t end = 0;
    bool operator==(const Run&) const = default;
  };

  explicit Coverage(size_t columns) : changes_(columns + 2, 0) {}

  // Any numbers; parts outside of the columns have no effect. Intervals may overlap.
  void add(double from, double to);

  // `origin`: the position of column 0 on a ruler that moves with the intervals, in columns. Adding
  // starts anew at some of its marks, so that the same columns are filled when the picture moves by
  // whole columns, except near its ends.
  std::vector<Run> runs(double origin) const;

 private:
  static constexpr int64_t one = 1 << 24;  // a column

  size_t columns() const { return changes_.size() - 2; }
  void change(double at, int64_t sign);

  std::vector<int64_t>
      changes_;  // of what covers a column, from the column before, in parts of `one`
  bool used_ = false;
};

}  // namespace skein
