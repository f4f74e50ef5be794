// The heap of jemalloc 5.3 for x86-64, as configured by default. (jemalloc 5.3.0: rtree.h, edata.h,
// cache_bin.h, tcache_structs.h, arena_structs.h, sc.h.)
//
//   rtree, by page -> edata: an extent of pages -- slab: a bit for each block, set if it is free
//                                               -- otherwise one block, or nothing
//   arenas -> tcaches -> bins of blocks that a thread has freed: their slabs have them as used
//
// The tree is recognised by an extent that contains one of the addresses and whose count of free
// blocks is that of its bits, the arenas by a ring of caches that refer to them.
#pragma once

#include <memory>

#include "frames/heap.h"
#include "frames/static_data.h"

namespace skein {

class JemallocHeap : public Heap {
 public:
  // Null: the target has none, or of another version.
  static std::unique_ptr<Heap> find(const Target& target, MemoryCache& memory,
                                    std::span<const uint64_t> addresses);

  std::string_view allocator() const override { return "jemalloc"; }
  // Blocks of which only the slab is known to have them as used are Unknown: the caches of threads
  // could not be read, or there are none. O(addresses * log cached blocks), and 2 MiB are read for
  // each GiB of addresses.
  bool find_blocks(std::span<const uint64_t> addresses, std::span<HeapBlock> blocks) override;

 private:
  // What contains an address: pages [begin, end).
  struct Extent {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t first = 0;                                  // its first block
    uint64_t size = 0;                                   // of a block
    HeapBlock::State state = HeapBlock::State::Outside;  // of its blocks, if it is no slab
    bool is_slab = false;
    uint64_t free[8] = {};  // a bit for each block of a slab
  };

  JemallocHeap(const Target& target, MemoryCache& memory) : target_(target), memory_(memory) {}
  Extent extent_of(uint64_t entry) const;
  void look_up(uint64_t address);
  HeapBlock judge(uint64_t address) const;
  bool read_caches();
  bool add_cache(uint64_t cache);

  const Target& target_;
  MemoryCache& memory_;
  uint64_t root_ = 0;
  std::vector<uint64_t> arenas_ = {};  // where the rings of their caches begin
  std::vector<uint64_t> cached_ = {};  // blocks, ascending
  uint64_t leaves_ = 0;                // that may be read
  // The leaf of the last address, and the last extent that begins before it.
  uint64_t leaf_number_ = UINT64_MAX;
  uint64_t leaf_address_ = 0;
  std::vector<Word> leaf_ = {};  // its entries
  size_t looked_up_to_ = 0;      // entries
  Extent extent_ = {};
};

}  // namespace skein
