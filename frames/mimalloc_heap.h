// The heap of mimalloc 2.0 without encoded lists (MI_SECURE < 3, no debug build). (mimalloc 2.0.9:
// mimalloc-types.h, segment.c, page.c, alloc.c.)
//
//   segment, 32 MiB at a multiple of 32 MiB: header, slices of 64 KiB
//   slices -> pages, each with blocks of one size: some never used, some in lists of free ones
//
// A segment is recognised by spans of slices that fill it, by its thread, which has a heap with a
// page of it, and by the cookie that all have. A block that is free
// begins with the address of another one, or with 0. So only blocks that begin with such a word are
// searched in the lists of their page, and in that of its heap's blocks that other threads freed.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "frames/heap.h"

namespace skein {

class MimallocHeap : public Heap {
 public:
  // Null: the target has none, or of another version.
  static std::unique_ptr<Heap> find(const Target& target, MemoryCache& memory,
                                    std::span<const uint64_t> addresses);

  std::string_view allocator() const override { return "mimalloc"; }
  // O(addresses + blocks in lists that are searched); 48 KiB are read for each segment.
  bool find_blocks(std::span<const uint64_t> addresses, std::span<HeapBlock> blocks) override;

 private:
  // struct mi_page_s
  struct Page {
    uint64_t begin = 0;  // the first slice
    uint64_t end = 0;
    uint64_t first = 0;       // the first block
    uint64_t block_size = 0;  // 0: a free span
    uint64_t capacity = 0;    // blocks that were ever used
    uint64_t used = 0;        // blocks that are not in `free` and `local_free`
    uint64_t free = 0;
    uint64_t local_free = 0;
    uint64_t thread_free = 0;
    uint64_t heap = 0;
    bool is_sound = false;
    bool contains(uint64_t address) const { return address >= begin && address < end; }
    bool may_be_block(uint64_t address) const {  // or 0
      return address == 0 ||
             (address >= first && address < end && (address - first) % block_size == 0);
    }
  };
  struct Segment {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t cookie = 0;
    uint64_t thread = 0;
    std::vector<Page> pages = {};
  };
  using Blocks = std::vector<uint64_t>;

  MimallocHeap(const Target& target, MemoryCache& memory) : target_(target), memory_(memory) {}
  std::optional<Segment> read_segment(uint64_t address) const;
  bool has_owner(const Segment& segment) const;
  bool is_unclear(uint64_t begin);
  const Page* page_of(uint64_t address);
  HeapBlock judge(uint64_t address, const Page& page);
  std::optional<Blocks> list(uint64_t head, const Page* page);
  const std::optional<Blocks>& free_blocks(const Page& page);
  const std::optional<Blocks>& delayed_blocks(uint64_t heap);

  const Target& target_;
  MemoryCache& memory_;
  uint64_t cookie_ = 0;
  std::map<uint64_t, std::optional<Segment>> segments_ = {};  // by address; nothing: is none
  std::map<uint64_t, std::optional<Blocks>> free_ = {};     // by page; nothing: contradicts itself
  uint64_t steps_ = 0;                                      // in lists, that may follow
  std::map<uint64_t, std::optional<Blocks>> delayed_ = {};  // by heap
};

}  // namespace skein
