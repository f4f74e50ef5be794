// The blocks of glibc's malloc in the memory of a target: which are in use. (malloc/malloc.c and
// malloc/arena.c of glibc 2.26 to 2.40: struct malloc_chunk, heap_info.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frames/memory_cache.h"
#include "target/target.h"

namespace skein {

struct HeapBlock {
  uint64_t begin = 0;  // what malloc returned
  uint64_t end = 0;
  bool is_used = false;
};

// A region in which blocks follow each other.
struct HeapRegion {
  uint64_t begin = 0;  // of the first block's header
  uint64_t end = 0;
};

// The main heap and those of other arenas, by address. Empty: the program has another allocator.
std::vector<HeapRegion> find_heaps(const Target& target, MemoryCache& memory);

// Sets blocks[i] to the block that contains addresses[i] (ascending), or leaves it: begin 0. Blocks
// that glibc keeps for reuse in lists for a thread count as used: their first 16 bytes are
// overwritten. Returns false if a header is damaged: what follows is unknown. O(blocks).
bool find_blocks(MemoryCache& memory, const HeapRegion& heap, std::span<const uint64_t> addresses,
                 std::span<HeapBlock> blocks);

}  // namespace skein
