#include "base/stable_sort.h"

namespace skein {

void sort_by_key(std::vector<SortKey>& keys) {
  stable_sort(keys, [](const SortKey& a, const SortKey& b) { return a.key < b.key; });
}

}  // namespace skein
