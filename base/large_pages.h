// Large pages: page faults on small pages take a third of the time to fill a large array.
#pragma once

#include <cstddef>

namespace skein {

// Lets the kernel use large pages for [begin, begin + size) where supported; otherwise no effect.
void prefer_large_pages(void* begin, size_t size);

}  // namespace skein
