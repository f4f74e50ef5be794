// The first touch of small pages is a third of the time that filling a big array takes.
#pragma once

#include <cstddef>

namespace skein {

// Lets the kernel back [begin, begin + size) by large pages where it can; without effect elsewhere.
void prefer_large_pages(void* begin, size_t size);

}  // namespace skein
