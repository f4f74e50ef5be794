#include "frames/jemalloc_heap.h"

#include <algorithm>
#include <array>
#include <bit>

namespace skein {

namespace {

using State = HeapBlock::State;
constexpr uint64_t page = 4096;
constexpr unsigned leaf_shift = 30;  // RTREE_HEIGHT 2, LG_VADDR 48: 18 bits each
constexpr uint64_t leaf_count = uint64_t{1} << 18;
constexpr uint64_t most_leaves = 8192;  // 8 TiB
constexpr uint64_t classes = 232;       // SC_NSIZES
constexpr uint64_t small_classes = 36;
// struct arena_s
constexpr uint64_t ring_in_arena = 0x2898;
// struct tcache_slow_s
constexpr uint64_t arena_in_cache = 40;
constexpr uint64_t bins_in_cache = 168;
// struct tcache_s: a pointer, then 73 cache_bin_s
constexpr uint64_t bins = 73;
constexpr uint64_t size_of_bin = 24;

// sz_index2size(): 8, then four steps of 16, then four steps for each power of two.
uint64_t class_size(uint64_t index) {
  if (index == 0) return 8;
  if (index <= 4) return 16 * index;
  const uint64_t group = (index - 5) / 4;
  return (uint64_t{64} << group) + ((index - 5) % 4 + 1) * (uint64_t{16} << group);
}

struct EntryOfTree {
  uint64_t extent = 0;
  uint64_t size_class = 0;
  uint64_t state = 0;
  bool is_slab = false;
  bool is_valid = false;
};

// rtree_leaf_elm_bits_decode()
EntryOfTree decode(uint64_t bits) {
  EntryOfTree entry{.extent = (bits & ((uint64_t{1} << 47) - 1)) & ~uint64_t{127},
                    .size_class = bits >> 48,
                    .state = bits >> 2 & 7,
                    .is_slab = (bits & 1) != 0};
  const bool has_other_bits = (bits & 0x60) != 0 || (bits >> 47 & 1) != 0;
  entry.is_valid = bits != 0 && !has_other_bits && entry.extent != 0 &&
                   entry.size_class <= classes && entry.state <= 5;
  return entry;
}

}  // namespace

// An entry of the tree; without pages if it is none, or was changed.
JemallocHeap::Extent JemallocHeap::extent_of(uint64_t bits) const {
  const EntryOfTree entry = decode(bits);
  std::array<uint64_t, 16> words = {};  // struct edata_s
  if (!entry.is_valid || !memory_.read(entry.extent, words.data(), sizeof words)) return {};
  const uint64_t size_class = words[0] >> 20 & 0xff;
  const uint64_t free_count = words[0] >> 28 & 0x3ff;
  const bool is_slab = (words[0] >> 12 & 1) != 0;
  Extent extent{.begin = words[1] / page * page, .first = words[1], .is_slab = is_slab};
  const uint64_t size = words[2] / page * page;
  if (size == 0 || size > uint64_t{1} << 46 || extent.begin == 0 || extent.begin >> 47 != 0)
    return {};
  extent.end = extent.begin + size;
  if (entry.state != (words[0] >> 17 & 7) || entry.is_slab != is_slab) return {};
  constexpr uint64_t retained = 3;
  if (entry.state != 0) {
    extent.state = entry.state <= retained ? State::Freed : State::Unknown;
    return extent;
  }
  if (entry.size_class != size_class || size_class >= classes) return {};
  extent.size = class_size(size_class);
  extent.state = State::Used;
  if (!is_slab) return extent.size <= size ? extent : Extent{};
  const uint64_t count = size / extent.size;
  if (size_class >= small_classes || count == 0 || count > 512) return {};
  if (extent.first != extent.begin) return {};
  // Words that have no bits of blocks are not set.
  uint64_t set = 0;
  for (uint64_t i = 0; i < count; i += 64) {
    const uint64_t word = words[8 + i / 64];
    if (count - i < 64 && word >> (count - i) != 0) return {};
    extent.free[i / 64] = word;
    set += static_cast<uint64_t>(std::popcount(word));
  }
  return set == free_count ? extent : Extent{};
}

std::unique_ptr<Heap> JemallocHeap::find(const Target& target, MemoryCache& memory,
                                         std::span<const uint64_t> addresses) {
  if (target.architecture() != Architecture::X86_64) return nullptr;
  std::unique_ptr<JemallocHeap> heap(new JemallocHeap(target, memory));
  // An extent without blocks has too little to recognise it by.
  const auto root = find_radix_root(
      target, addresses, leaf_shift, leaf_count, [&](uint64_t leaf, uint64_t address) {
        const Extent extent = heap->extent_of(memory.word(leaf + address / page % leaf_count * 8));
        return extent.state == State::Used && address >= extent.first && address < extent.end;
      });
  if (!root) return nullptr;
  heap->root_ = root->address;
  for (const auto& [address, arena] : root->words) {
    if (arena % 64 != 0 || find_mapping(target.mappings(), arena) == nullptr) continue;
    const uint64_t first = memory.word(arena + ring_in_arena);
    if (first != 0 && memory.word(first + arena_in_cache) == arena) heap->arenas_.push_back(arena);
  }
  std::sort(heap->arenas_.begin(), heap->arenas_.end());
  heap->arenas_.erase(std::unique(heap->arenas_.begin(), heap->arenas_.end()), heap->arenas_.end());
  return heap;
}

// ---- the caches of threads ----

// Adds what the caches have to cached_. False: one of them could not be read.
bool JemallocHeap::read_caches() {
  constexpr size_t most = 1 << 16;  // caches
  size_t count = 0;
  bool is_sound = !arenas_.empty();
  memory_.forget();
  for (const uint64_t arena : arenas_) {
    const uint64_t first = memory_.word(arena + ring_in_arena);
    uint64_t cache = first;
    while (cache != 0 && is_sound) {
      const uint64_t next = memory_.word(cache);
      is_sound = ++count <= most && memory_.word(cache + arena_in_cache) == arena &&
                 memory_.word(next + 8) == cache && add_cache(cache);
      cache = next == first ? 0 : next;
    }
  }
  std::sort(cached_.begin(), cached_.end());
  return is_sound;
}

// The bins of a cache: each has a stack of blocks that grows down to an end of which the lower 16
// bits are known.
bool JemallocHeap::add_cache(uint64_t cache) {
  const uint64_t at = memory_.word(cache + bins_in_cache);
  std::array<uint8_t, 8 + bins* size_of_bin> bytes = {};
  if (memory_.word(at) != cache || !memory_.read(at, bytes.data(), bytes.size())) return false;
  std::vector<uint64_t> blocks;
  for (uint64_t i = 0; i < bins; i++) {
    const uint8_t* const bin = bytes.data() + 8 + i * size_of_bin;
    uint64_t head = 0;
    uint16_t full = 0;
    uint16_t empty = 0;
    std::memcpy(&head, bin, 8);
    std::memcpy(&full, bin + 18, 2);
    std::memcpy(&empty, bin + 20, 2);
    const auto size = static_cast<uint16_t>(empty - static_cast<uint16_t>(head));
    const auto room = static_cast<uint16_t>(empty - full);
    if (size > room || size % 8 != 0) return false;
    constexpr size_t most_blocks = 1 << 24;
    blocks.resize(size / 8);
    if (cached_.size() + blocks.size() > most_blocks) return false;
    if (size != 0 && !memory_.read(head, blocks.data(), size)) return false;
    for (const uint64_t block : blocks)
      if (block == 0 || block % 8 != 0) return false;
    cached_.insert(cached_.end(), blocks.begin(), blocks.end());
  }
  return true;
}

// ---- blocks ----

// Sets extent_ to the last one that begins before an address: not before the last one looked up.
void JemallocHeap::look_up(uint64_t address) {
  if (address >> leaf_shift != leaf_number_) {
    leaf_number_ = address >> leaf_shift;
    const uint64_t leaf = leaf_number_ < leaf_count ? memory_.word(root_ + leaf_number_ * 8) : 0;
    leaf_address_ = leaf;
    leaf_.clear();
    if (leaf != 0 && leaves_ != 0) leaf_ = nonzero_words(target_, {leaf, leaf + leaf_count * 8});
    if (leaves_ != 0) leaves_--;
    looked_up_to_ = 0;
    extent_ = {};
  }
  if (address < extent_.end) return;
  // Free extents and big blocks have an entry for their first and last page only.
  const size_t end = entries_before(leaf_, leaf_address_ + (address / page % leaf_count + 1) * 8);
  for (size_t i = end; i > looked_up_to_; i--) {
    if (decode(leaf_[i - 1].value).extent == 0) continue;  // cleared
    extent_ = extent_of(leaf_[i - 1].value);
    if (extent_.end == 0) extent_ = {.end = address / page * page + page, .state = State::Unknown};
    break;
  }
  looked_up_to_ = std::max(looked_up_to_, end);
}

HeapBlock JemallocHeap::judge(uint64_t address) const {
  if (address >= extent_.end || address < extent_.begin) return {};
  if (extent_.state == State::Freed)
    return {.begin = extent_.begin, .end = extent_.end, .state = State::Freed};
  if (extent_.state == State::Unknown) return {.state = State::Unknown};
  HeapBlock block{.begin = extent_.first, .state = State::Used, .keeps_remains = true};
  if (extent_.is_slab) {
    const uint64_t index = (address - extent_.first) / extent_.size;
    block.begin += index * extent_.size;
    // What is left behind the last block.
    if (extent_.end - block.begin < extent_.size)
      return {.begin = block.begin, .end = extent_.end, .state = State::Freed};
    if ((extent_.free[index / 64] >> index % 64 & 1) != 0) block.state = State::Freed;
  }
  block.end = block.begin + extent_.size;
  return block;
}

bool JemallocHeap::find_blocks(std::span<const uint64_t> addresses, std::span<HeapBlock> blocks) {
  // A block may move from a cache to its slab, or back, while they are read: the caches are read
  // before the slabs, and after them.
  cached_.clear();
  leaves_ = most_leaves;
  bool has_caches = read_caches();
  leaf_number_ = UINT64_MAX;
  bool is_sound = true;
  std::vector<size_t> used;
  const auto first = std::lower_bound(addresses.begin(), addresses.end(), page) - addresses.begin();
  for (auto i = static_cast<size_t>(first); i < addresses.size(); i++) {
    look_up(addresses[i]);
    const HeapBlock block = judge(addresses[i]);
    if (block.state == State::Outside) continue;
    blocks[i] = block;
    if (block.state == State::Unknown) is_sound = false;
    if (block.is_used()) used.push_back(i);
  }
  has_caches = read_caches() && has_caches;
  for (const size_t i : used) {
    if (std::binary_search(cached_.begin(), cached_.end(), blocks[i].begin))
      blocks[i].state = State::Freed;
    else if (!has_caches)
      blocks[i].state = State::Unknown;
  }
  return is_sound;
}

}  // namespace skein
