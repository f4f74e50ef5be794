#include "base/large_pages.h"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace skein {

void prefer_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] size_t size) {
#if defined(__linux__)
  constexpr uintptr_t large = uintptr_t{2} << 20;
  const auto from = (reinterpret_cast<uintptr_t>(begin) + large - 1) & ~(large - 1);
  const auto to = (reinterpret_cast<uintptr_t>(begin) + size) & ~(large - 1);
  // On failure the pages stay small.
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
#endif
}

}  // namespace skein
