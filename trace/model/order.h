// Puts what mostly comes in order in order.
#pragma once

#include <vector>

#include "base/stable_sort.h"

namespace skein {

template <typename T>
void order_by_start(std::vector<T>& items) {
  const auto earlier = [](const T& a, const T& b) { return a.start < b.start; };
  stable_sort(items, earlier);
}

}  // namespace skein
