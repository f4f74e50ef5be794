// Rows of a table by a number that each has, in the table's order: waits by their task, activations
// by their executor.
//
//   const RowsBy by_task(waits.waits, model.tasks.size(), [](const auto& w) { return w.task; });
//   for (const uint32_t index : by_task.of(task)) ...
//
// O(rows + count) to make, 4 bytes for each of both.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace skein {

class RowsBy {
 public:
  RowsBy() = default;
  // Rows whose number is `count` or more (no_index) are left out.
  template <typename Rows, typename NumberOf>
  RowsBy(const Rows& rows, size_t count, const NumberOf& number_of) : ends_(count) {
    for (const auto& row : rows)
      if (number_of(row) < count) ends_[number_of(row)]++;
    uint32_t sum = 0;
    for (uint32_t& end : ends_) sum += std::exchange(end, sum);
    rows_.resize(sum);
    // Each goes from where the rows of its number begin to where they end.
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
