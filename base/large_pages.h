// Large pages: page faults on small pages take a third of the time to fill a large array.
#pragma once

#include <cstddef>
#include <vector>

namespace skein {

// Lets the kernel use large pages for [begin, begin + size) where supported; otherwise no effect.
void prefer_large_pages(void* begin, size_t size);

// The same for a vector that grows to about `count` items.
template <typename T>
void reserve_large(std::vector<T>& items, size_t count) {
  items.reserve(count);
  prefer_large_pages(items.data(), count * sizeof(T));
}

}  // namespace skein
