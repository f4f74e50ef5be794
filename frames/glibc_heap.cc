#include "frames/glibc_heap.h"

#include <algorithm>

namespace skein {

namespace {

constexpr uint64_t size_of_thread_cache = 0x291;  // with its flag: the first block of a heap
constexpr uint64_t heap_alignment = uint64_t{64} << 20;
constexpr uint64_t size_of_heap_info = 0x30;
constexpr uint64_t size_of_arena = 2200;

uint64_t align_up(uint64_t value) { return (value + 15) / 16 * 16; }

// In a static program, TLS lies before the first block.
uint64_t first_block(MemoryCache& memory, const Mapping& mapping) {
  constexpr uint64_t most = 0x4000;
  for (uint64_t at = mapping.begin; at < std::min(mapping.end, mapping.begin + most); at += 16)
    if (memory.word(at + 8) == size_of_thread_cache) return at;
  return 0;
}

}  // namespace

std::vector<HeapRegion> find_heaps(const Target& target, MemoryCache& memory) {
  std::vector<HeapRegion> found;
  bool has_main = false;
  for (const Mapping& mapping : target.mappings()) {
    if (!mapping.writable || mapping.has_file()) continue;
    // A core has no "[heap]".
    if (!has_main && (mapping.file == "[heap]" || mapping.file.empty())) {
      const uint64_t first = first_block(memory, mapping);
      has_main = first != 0;
      if (has_main) found.push_back({first, mapping.end});
      if (has_main) continue;
    }
    if (mapping.begin % heap_alignment != 0) continue;
    const uint64_t arena = memory.word(mapping.begin);
    const uint64_t before = memory.word(mapping.begin + 8);
    const uint64_t size = memory.word(mapping.begin + 16);
    if (size < 4096 || size % 4096 != 0 || size > mapping.size() || size > heap_alignment) continue;
    const bool is_own = arena >= mapping.begin && arena < mapping.begin + 64;
    if (before == 0 && !is_own) continue;
    if (find_mapping(target.mappings(), arena) == nullptr) continue;
    found.push_back(
        {before == 0 ? align_up(arena + size_of_arena) : mapping.begin + size_of_heap_info,
         mapping.begin + size});
  }
  return found;
}

bool find_blocks(MemoryCache& memory, const HeapRegion& heap, std::span<const uint64_t> addresses,
                 std::span<HeapBlock> blocks) {
  constexpr uint64_t flags = 7;
  auto next = static_cast<size_t>(std::lower_bound(addresses.begin(), addresses.end(), heap.begin) -
                                  addresses.begin());
  uint64_t chunk = heap.begin;
  while (next < addresses.size() && addresses[next] < heap.end && heap.end - chunk > 16) {
    const uint64_t size = memory.word(chunk + 8) & ~flags;
    if (size < 32 || size % 16 != 0 || size > heap.end - chunk) return false;
    const bool is_last = heap.end - chunk - size < 32;  // the free rest
    const bool is_used = !is_last && (memory.word(chunk + size + 8) & 1) != 0;
    for (; next < addresses.size() && addresses[next] < chunk + size; next++)
      blocks[next] = {.begin = chunk + 16, .end = chunk + size + 8, .is_used = is_used};
    chunk += size;
  }
  return true;
}

}  // namespace skein
