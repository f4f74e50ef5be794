// Groups the rows of a table by a number, in the table's order: waits by their task, activations by
// their executor.
//
//   const RowsBy by_task(waits.waits, model.tasks.size(), [](const auto& w) { return w.task; });
//   for (const uint32_t index : by_task.of(task)) ...
//
// Construction takes O(rows + count), and 4 bytes for each row and number.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace skein {

class RowsBy {
 public:
  RowsBy() = default;
  // Omits rows whose number is `count` or more (no_index).
  template <typename Rows, typename NumberOf>
  RowsBy(const Rows& rows, size_t count, const NumberOf& number_of) : ends_(count) {
    for (const auto& row : rows)
      if (number_of(row) < count) ends_[number_of(row)]++;
    uint32_t sum = 0;
    for (uint32_t& end : ends_) sum += std::exchange(end, sum);
    rows_.resize(sum);
    // ends_[number] advances from the start of its rows to their end.
    uint32_t index = 0;
    for (const auto& row : rows) {
      if (number_of(row) < count) rows_[ends_[number_of(row)]++] = index;
      index++;
    }
  }

  size_t count() const { return ends_.size(); }
  std::span<const uint32_t> of(size_t number) const {
    const uint32_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::span(rows_).subspan(begin, ends_[number] - begin);
  }

 private:
  std::vector<uint32_t> ends_;  // in rows_, by number
  std::vector<uint32_t> rows_;
};

}  // namespace skein
