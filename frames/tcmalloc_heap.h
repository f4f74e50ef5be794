// The heap of gperftools' tcmalloc for 64-bit processors with 48 bits of addresses and pages of 8
// KiB, the defaults. (gperftools 2.10: pagemap.h, span.h, central_freelist.h, thread_cache.h.)
//
//   page map -> span: pages that are free, one block, or blocks of one size class
//   lists of free blocks, for each class: of each thread's cache, of the central cache, of a span
//
// The page map is recognised by a span that contains one of the addresses, the caches of threads by
// the sizes of all classes that they repeat, the central caches by the classes' numbers. A block
// that is free begins with the address of another one, or with 0: only blocks that begin with such
// a word are searched in the lists.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "frames/heap.h"
#include "frames/static_data.h"

namespace skein {

class TcmallocHeap : public Heap {
 public:
  // Null: the target has none, or of another version.
  static std::unique_ptr<Heap> find(const Target& target, MemoryCache& memory,
                                    std::span<const uint64_t> addresses);

  std::string_view allocator() const override { return "tcmalloc"; }
  // O(addresses + blocks in lists that are searched); 2 MiB are read for each 2 GiB of addresses.
  bool find_blocks(std::span<const uint64_t> addresses, std::span<HeapBlock> blocks) override;

 private:
  struct Span {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t free = 0;        // its list of free blocks
    uint64_t used = 0;        // blocks that are not in it
    uint64_t size_class = 0;  // 0: one block
    bool is_free = false;
  };
  using Blocks = std::vector<uint64_t>;

  TcmallocHeap(const Target& target, MemoryCache& memory) : target_(target), memory_(memory) {}
  bool find_caches(std::span<const Word> words);
  std::optional<std::vector<uint64_t>> sizes_in_cache(uint64_t cache);
  std::optional<Span> read_span(uint64_t address);
  void look_up(uint64_t address);
  bool may_be_block(uint64_t address) const;
  HeapBlock judge(uint64_t address);
  bool add_list(Blocks& blocks, uint64_t head, uint64_t count);
  const std::optional<Blocks>& cached_blocks(uint64_t size_class);
  const std::optional<Blocks>& free_in_span();

  const Target& target_;
  MemoryCache& memory_;
  uint64_t root_ = 0;
  uint64_t a_cache_ = 0;                                   // of a thread; others are linked with it
  uint64_t central_ = 0;                                   // an array of central caches, by class
  std::vector<uint64_t> sizes_ = {};                       // of blocks, by class
  std::map<uint64_t, std::optional<Blocks>> cached_ = {};  // by class; nothing: contradicts itself
  std::map<uint64_t, std::optional<Blocks>> in_span_ = {};  // by span
  uint64_t steps_ = 0;                                      // in lists, that may follow
  uint64_t leaves_ = 0;                                     // that may be read
  // The leaf of the last address, and the last span that begins before it.
  uint64_t leaf_number_ = UINT64_MAX;
  uint64_t leaf_address_ = 0;
  std::vector<Word> leaf_ = {};  // its entries
  size_t looked_up_to_ = 0;      // entries
  Span span_ = {};
};

}  // namespace skein
