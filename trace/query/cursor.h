// Iterates over the rows of a table that may match a statement's conditions, in either direction.
//
//   QueryCursor cursor(table, source);
//   cursor.begin({{column, low, high}}, false);
//   for (; !cursor.at_end(); cursor.next()) print(cursor.row());
#pragma once

#include <cstdint>
#include <vector>

#include "trace/query/table.h"

namespace skein {

// A condition on a column's number: within bounds and, if `one_of`, among `values`.
struct QueryCondition {
  static constexpr int row_number = -1;  // instead of a column

  int column = row_number;
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;
  std::vector<int64_t> values = {};  // ascending, without duplicates
  bool one_of = false;               // `values` apply; if they are empty, nothing matches

  bool fits(int64_t number) const;
};

class QueryCursor {
 public:
  QueryCursor(const QueryTable& table, const QuerySource& source)
      : table_(table), source_(source) {}

  void begin(std::vector<QueryCondition> conditions, bool descending);
  bool at_end() const { return at_end_; }
  size_t row() const { return row_; }
  void next() {
    if (row_ != last_)
      row_ += step_;
    else if (++at_ < found_.size())
      row_ = last_ = block_ + found_[at_];
    else
      advance();
  }

  double share() const;  // fraction of the rows to read that are done, 0 to 1

 private:
  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };

  std::vector<Range> find_ranges();
  std::vector<Range> of_rows(const QueryCondition& condition, Range all) const;
  std::vector<Range> of_key(const QueryCondition& condition, Range all) const;
  std::vector<Range> of_ordered(const QueryCondition& condition, Range all) const;
  void advance();
  Range take_block();
  bool find_in_block(Range part);

  const QueryTable& table_;
  const QuerySource& source_;
  std::vector<QueryCondition> conditions_;  // that are checked row by row
  std::vector<Range> ranges_;               // none is empty, and none overlap
  size_t range_ = 0;                        // the one that row() is in
  bool descending_ = false;
  bool at_end_ = true;
  size_t row_ = 0;
  size_t step_ = 1;  // SIZE_MAX when descending
  size_t last_ = 0;  // all rows from row_ to this one match
  Range todo_{};     // the rest of the range, not read yet
  // If there are conditions: the matching rows of a block, in the cursor's order.
  std::vector<uint16_t> found_;
  size_t block_ = 0;  // first row of the block
  size_t at_ = 0;     // found_[at_] is row()
};

}  // namespace skein
