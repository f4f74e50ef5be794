#include "view/draw/coverage.h"

#include <algorithm>
#include <cmath>

namespace skein {

namespace {

// The column that is covered most of those seen.
struct Most {
  size_t column = 0;
  int64_t covered = 0;

  void see(size_t other, int64_t covers) {
    if (covers > covered) *this = {other, covers};
  }
};

}  // namespace

void Coverage::add(double from, double to) {
  const auto end = static_cast<double>(columns());
  if (!((to > 0 || from >= 0) && from < end && to >= from)) return;
  from = std::max(from, 0.0);
  to = std::min(std::max(to, from + 2.0 / one), end);  // the shortest has an extent, too
  change(from, 1);
  change(to, -1);
  used_ = true;
}

void Coverage::change(double at, int64_t sign) {
  const auto column = static_cast<size_t>(at);
  const auto part = static_cast<int64_t>((at - static_cast<double>(column)) * one);
  changes_[column] += sign * (one - part);
  changes_[column + 1] += sign * part;
}

std::vector<Coverage::Run> Coverage::runs(double origin) const {
  std::vector<Run> filled;
  if (!used_) return filled;
  size_t period = 256;  // columns between the marks
  while (2 * period < columns()) period *= 2;
  const double mark = std::fmod(std::floor(origin), static_cast<double>(period));
  const double to_mark = mark <= 0 ? -mark : static_cast<double>(period) - mark;
  auto left = to_mark > 0 ? static_cast<size_t>(to_mark) : period;

  int64_t covered = 0;  // of the column
  int64_t debt = 0;     // covered since the mark, and not filled
  Most most;            // since the last filled column
  Most most_of_all;
  const auto fill = [&](size_t column) {
    if (!filled.empty() && filled.back().end == column)
      filled.back().end++;
    else
      filled.push_back({column, column + 1});
  };
  const auto settle = [&](int64_t least) {
    if (debt < least || most.covered == 0) return;
    fill(most.column);
    debt -= one;
    most = {};
  };
  for (size_t column = 0; column < columns(); column++) {
    covered += changes_[column];
    const int64_t covers = std::clamp<int64_t>(covered, 0, one);
    debt += covers;
    most.see(column, covers);
    most_of_all.see(column, covers);
    settle(one);
    if (--left > 0) continue;
    settle(one / 2);
    debt = 0;
    most = {};
    left = period;
  }
  settle(one / 2);
  if (filled.empty()) fill(most_of_all.column);
  return filled;
}

}  // namespace skein
