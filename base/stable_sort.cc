#include "base/stable_sort.h"

#include <functional>

namespace skein {

void sort_by_key(std::vector<SortKey>& keys) {
  stable_sort(keys, [](const SortKey& a, const SortKey& b) { return a.key < b.key; });
}

void sort_numbers(std::vector<uint64_t>& numbers) { stable_sort(numbers, std::less<>()); }

}  // namespace skein
