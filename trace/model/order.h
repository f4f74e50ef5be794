// Sorts items by start time. Most are in order already.
#pragma once

#include <algorithm>
#include <vector>

#include "base/stable_sort.h"

namespace skein {

template <typename T>
void order_by_start(std::vector<T>& items) {
  const auto earlier = [](const T& a, const T& b) { return a.start < b.start; };
  if (!std::is_sorted(items.begin(), items.end(), earlier))
    stable_sort_by(items, [](const T& item) { return item.start; });
}

}  // namespace skein
