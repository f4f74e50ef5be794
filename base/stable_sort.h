// std::stable_sort for a whole vector. Each use of that is 3 kB in the page's module (view/web), of
// this 0.3; with a million items in no order it takes as long.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace skein {

// Merges pairs of runs that are twice as long each time. What is in order already is only looked
// at.
template <typename T, typename Less>
void stable_sort(std::vector<T>& items, const Less& less) {
  if (std::is_sorted(items.begin(), items.end(), less)) return;
  const size_t size = items.size();
  std::vector<T> merged(size);
  for (size_t width = 1; width < size; width *= 2) {
    size_t out = 0;
    for (size_t left = 0, end = 0; left < size; left = end) {
      const size_t middle = std::min(left + width, size);
      size_t right = middle;
      end = std::min(middle + width, size);
      while (left < middle || right < end) {
        const bool from_right = left == middle || (right < end && less(items[right], items[left]));
        merged[out++] = std::move(items[from_right ? right++ : left++]);
      }
    }
    items.swap(merged);
  }
}

}  // namespace skein
