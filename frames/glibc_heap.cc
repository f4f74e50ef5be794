#include "frames/glibc_heap.h"

#include <algorithm>

namespace skein {

namespace {

constexpr uint64_t size_of_thread_cache = 0x291;  // with its flag: the first block of a heap
constexpr uint64_t heap_alignment = uint64_t{64} << 20;
constexpr uint64_t size_of_heap_info = 0x30;
constexpr uint64_t size_of_arena = 2200;
constexpr uint64_t block_header = 16;

uint64_t align_up(uint64_t value) { return (value + 15) / 16 * 16; }

// In a static program, TLS lies before the first block.
uint64_t first_block(MemoryCache& memory, const Mapping& mapping) {
  constexpr uint64_t most = 0x4000;
  for (uint64_t at = mapping.begin; at < std::min(mapping.end, mapping.begin + most); at += 16)
    if (memory.word(at + 8) == size_of_thread_cache) return at;
  return 0;
}

}  // namespace

GlibcHeap::GlibcHeap(const Target& target, MemoryCache& memory) : memory_(memory) {
  bool has_main = false;
  for (const Mapping& mapping : target.mappings()) {
    if (!mapping.writable || mapping.has_file()) continue;
    // A core has no "[heap]".
    if (!has_main && (mapping.file == "[heap]" || mapping.file.empty())) {
      const uint64_t first = first_block(memory, mapping);
      has_main = first != 0;
      if (has_main) regions_.push_back({first, mapping.end});
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
    regions_.push_back(
        {before == 0 ? align_up(arena + size_of_arena) : mapping.begin + size_of_heap_info,
         mapping.begin + size});
  }
}

bool GlibcHeap::find_blocks(std::span<const uint64_t> addresses, std::span<HeapBlock> blocks) {
  bool is_sound = true;
  for (const HeapRegion& region : regions_)
    if (!find_in(region, addresses, blocks)) is_sound = false;
  for (size_t i = 0; i < addresses.size(); i++)
    if (blocks[i].state == HeapBlock::State::Outside && addresses[i] % 4096 == block_header)
      blocks[i] = mapped_block(addresses[i]);
  return is_sound;
}

bool GlibcHeap::find_in(const HeapRegion& region, std::span<const uint64_t> addresses,
                        std::span<HeapBlock> blocks) {
  constexpr uint64_t flags = 7;
  auto next = static_cast<size_t>(
      std::lower_bound(addresses.begin(), addresses.end(), region.begin) - addresses.begin());
  uint64_t chunk = region.begin;
  while (next < addresses.size() && addresses[next] < region.end && region.end - chunk > 16) {
    const uint64_t size = memory_.word(chunk + 8) & ~flags;
    if (size < 32 || size % 16 != 0 || size > region.end - chunk) {
      for (; next < addresses.size() && addresses[next] < region.end; next++)
        blocks[next].state = HeapBlock::State::Unknown;
      return false;
    }
    const bool is_last = region.end - chunk - size < 32;  // the free rest
    const bool is_used = !is_last && (memory_.word(chunk + size + 8) & 1) != 0;
    // A block that is in use has the first word of the next chunk.
    const uint64_t end = chunk + size + (is_used ? 8 : 0);
    for (; next < addresses.size() && addresses[next] < end; next++)
      blocks[next] = {.begin = chunk + block_header,
                      .end = chunk + size + 8,
                      .state = is_used ? HeapBlock::State::Used : HeapBlock::State::Freed};
    chunk += size;
  }
  return true;
}

// A big block that glibc has mapped for itself: it begins at a page, behind a header.
HeapBlock GlibcHeap::mapped_block(uint64_t address) {
  constexpr uint64_t page = 4096;
  const uint64_t size = memory_.word(address - 8);
  const bool is_mapped = (size & 7) == 2;
  if (!is_mapped || size < page || size > uint64_t{1} << 40) return {};
  return {.begin = address,
          .end = address + (size & ~uint64_t{7}) - block_header,
          .state = HeapBlock::State::Used};
}

}  // namespace skein
