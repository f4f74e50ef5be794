#include "trace/query/cursor.h"

#include <algorithm>
#include <utility>

namespace skein {

namespace {

// The first row of [begin, end) whose number is not below `bound`, in an ascending column.
template <typename Number>
size_t first_from(size_t begin, size_t end, int64_t bound, const Number& number) {
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (number(middle) < bound)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

template <typename Number>
size_t first_after(size_t begin, size_t end, int64_t bound, const Number& number) {
  return bound == INT64_MAX ? end : first_from(begin, end, bound + 1, number);
}

}  // namespace

bool QueryCondition::fits(int64_t number) const {
  if (number < low || number > high) return false;
  return !one_of || std::binary_search(values.begin(), values.end(), number);
}

void QueryCursor::begin(std::vector<QueryCondition> conditions, bool descending) {
  conditions_ = std::move(conditions);
  descending_ = descending;
  step_ = descending ? SIZE_MAX : 1;
  ranges_ = find_ranges();
  std::erase_if(ranges_, [](const Range& range) { return range.begin >= range.end; });
  if (descending) std::reverse(ranges_.begin(), ranges_.end());
  range_ = SIZE_MAX;  // before the first
  todo_ = {};
  found_.clear();
  at_ = 0;
  at_end_ = false;
  advance();
}

// Returns the ranges that can be found without a scan, and removes the conditions that define them
// from conditions_.
std::vector<QueryCursor::Range> QueryCursor::find_ranges() {
  const Range all{0, table_.rows(source_)};
  std::vector<Range> ranges{all};
  const auto narrow = [&](const auto& is_it, const auto& search) {
    for (const QueryCondition& condition : conditions_) {
      if (!is_it(condition)) continue;
      std::vector<Range> narrowed;
      for (const Range& range : ranges)
        for (const Range& part : search(condition, range)) narrowed.push_back(part);
      ranges = std::move(narrowed);
    }
    std::erase_if(conditions_, is_it);
  };
  narrow([&](const auto& c) { return c.column == QueryCondition::row_number; },
         [&](const auto& c, Range range) { return of_rows(c, range); });
  if (table_.find && !source_.has_duplicate_ids())
    narrow([&](const auto& c) { return c.column == table_.key && c.one_of; },
           [&](const auto& c, Range range) { return of_key(c, range); });
  if (table_.ordered != QueryTable::none)
    narrow([&](const auto& c) { return c.column == table_.ordered; },
           [&](const auto& c, Range range) { return of_ordered(c, range); });
  return ranges;
}

std::vector<QueryCursor::Range> QueryCursor::of_rows(const QueryCondition& condition,
                                                     Range all) const {
  std::vector<Range> ranges;
  const auto row = [](int64_t number) { return static_cast<size_t>(std::max<int64_t>(number, 0)); };
  if (!condition.one_of) {
    if (condition.high < 0) return {};
    return {{std::max(all.begin, row(condition.low)),
             condition.high == INT64_MAX ? all.end : std::min(all.end, row(condition.high) + 1)}};
  }
  for (const int64_t value : condition.values)
    if (condition.fits(value) && value >= 0 && row(value) >= all.begin && row(value) < all.end)
      ranges.push_back({row(value), row(value) + 1});
  return ranges;
}

std::vector<QueryCursor::Range> QueryCursor::of_key(const QueryCondition& condition,
                                                    Range all) const {
  std::vector<Range> ranges;
  for (const int64_t value : condition.values) {
    const std::optional<size_t> row =
        condition.fits(value) ? table_.find(source_, value) : std::nullopt;
    if (row && *row >= all.begin && *row < all.end) ranges.push_back({*row, *row + 1});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return ranges;
}

std::vector<QueryCursor::Range> QueryCursor::of_ordered(const QueryCondition& condition,
                                                        Range all) const {
  const QueryColumn& column = table_.columns[static_cast<size_t>(table_.ordered)];
  const auto number = [&](size_t row) { return *column.number(source_, row); };
  std::vector<Range> ranges;
  const auto within = [&](size_t begin, size_t end) {
    if (!condition.one_of) {
      const size_t from = first_from(begin, end, condition.low, number);
      ranges.push_back({from, first_after(from, end, condition.high, number)});
      return;
    }
    for (const int64_t value : condition.values) {
      if (!condition.fits(value)) continue;
      begin = first_from(begin, end, value, number);
      const size_t after = first_after(begin, end, value, number);
      ranges.push_back({begin, after});
      begin = after;
    }
  };
  if (!table_.runs) {
    within(all.begin, all.end);
    return ranges;
  }
  const std::vector<size_t>& runs = table_.runs(source_);
  for (size_t i = 0; i + 1 < runs.size(); i++)
    within(std::clamp(runs[i], all.begin, all.end), std::clamp(runs[i + 1], all.begin, all.end));
  return ranges;
}

// Goes to the next row that may match, among those not read yet.
void QueryCursor::advance() {
  for (;; todo_ = ranges_[range_]) {
    if (todo_.begin < todo_.end && conditions_.empty()) {
      row_ = descending_ ? todo_.end - 1 : todo_.begin;
      last_ = descending_ ? todo_.begin : todo_.end - 1;
      todo_ = {};
      return;
    }
    while (todo_.begin < todo_.end)
      if (find_in_block(take_block())) return;
    if (++range_ >= ranges_.size()) break;
  }
  at_end_ = true;
}

QueryCursor::Range QueryCursor::take_block() {
  if (descending_) {
    const size_t begin = std::max(todo_.begin, (todo_.end - 1) / block_rows * block_rows);
    return {begin, std::exchange(todo_.end, begin)};
  }
  const size_t end = std::min(todo_.end, (todo_.begin / block_rows + 1) * block_rows);
  return {std::exchange(todo_.begin, end), end};
}

// Reads the rows of `part`, which is in one block. Goes to the first row that matches; false if
// there is none.
bool QueryCursor::find_in_block(Range part) {
  block_ = part.begin / block_rows * block_rows;
  found_.clear();
  for (size_t row = part.begin; row < part.end; row++)
    found_.push_back(static_cast<uint16_t>(row - block_));
  QueryColumn::Numbers numbers;
  for (const QueryCondition& condition : conditions_) {
    const QueryColumn& column = table_.columns[static_cast<size_t>(condition.column)];
    if (column.block && found_.size() > block_rows / 16)
      column.block(source_, block_, numbers);
    else
      for (const uint16_t i : found_) numbers[i] = column.number(source_, block_ + i).value_or(0);
    size_t count = 0;
    const auto keep_if = [&](const auto& fits) {
      for (const uint16_t i : found_) {
        found_[count] = i;
        count += fits(numbers[i]) ? 1 : 0;
      }
    };
    if (!condition.one_of) {
      keep_if([&](int64_t n) { return (n >= condition.low) & (n <= condition.high); });
    } else if (condition.values.size() == 1) {
      keep_if([only = condition.values[0]](int64_t n) { return n == only; });
    } else {
      keep_if([&](int64_t n) { return condition.fits(n); });
    }
    found_.resize(count);
  }
  if (descending_) std::reverse(found_.begin(), found_.end());
  at_ = 0;
  if (found_.empty()) return false;
  row_ = last_ = block_ + found_[0];
  return true;
}

double QueryCursor::share() const {
  size_t before = 0;
  size_t in_all = 0;
  for (size_t i = 0; i < ranges_.size(); i++) {
    const size_t rows = ranges_[i].end - ranges_[i].begin;
    in_all += rows;
    if (i < range_ || at_end_) before += rows;
    if (i == range_ && !at_end_)
      before += descending_ ? ranges_[i].end - row_ : row_ - ranges_[i].begin;
  }
  return in_all ? static_cast<double>(before) / static_cast<double>(in_all) : 1;
}

}  // namespace skein
