#include "frames/heaps.h"

#include "frames/glibc_heap.h"
#include "frames/jemalloc_heap.h"
#include "frames/mimalloc_heap.h"
#include "frames/tcmalloc_heap.h"

namespace skein {

std::vector<std::unique_ptr<Heap>> find_heaps(const Target& target, MemoryCache& memory,
                                              std::span<const uint64_t> addresses) {
  std::vector<std::unique_ptr<Heap>> heaps;
  auto glibc = std::make_unique<GlibcHeap>(target, memory);
  if (glibc->is_found()) heaps.push_back(std::move(glibc));
  for (const auto find : {JemallocHeap::find, MimallocHeap::find, TcmallocHeap::find})
    if (auto heap = find(target, memory, addresses)) heaps.push_back(std::move(heap));
  return heaps;
}

}  // namespace skein
