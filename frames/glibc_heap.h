// The heap of glibc's malloc. (malloc/malloc.c and malloc/arena.c of glibc 2.26 to 2.40: struct
// malloc_chunk, heap_info.)
#pragma once

#include "frames/heap.h"

namespace skein {

// Blocks that glibc keeps for reuse in lists for a thread count as used: their first 16 bytes are
// overwritten.
class GlibcHeap : public Heap {
 public:
  GlibcHeap(const Target& target, MemoryCache& memory);

  bool is_found() const { return !regions_.empty(); }
  std::string_view allocator() const override { return "glibc"; }
  // O(blocks in regions of which addresses are judged).
  bool find_blocks(std::span<const uint64_t> addresses, std::span<HeapBlock> blocks) override;

 private:
  bool find_in(const HeapRegion& region, std::span<const uint64_t> addresses,
               std::span<HeapBlock> blocks);
  HeapBlock mapped_block(uint64_t address);

  MemoryCache& memory_;
  // The main heap and those of other arenas, in which blocks follow each other. A region begins
  // with the header of its first block.
  std::vector<HeapRegion> regions_ = {};
};

}  // namespace skein
