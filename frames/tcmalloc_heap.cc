#include "frames/tcmalloc_heap.h"

#include <algorithm>
#include <array>

namespace skein {

namespace {

using State = HeapBlock::State;
constexpr uint64_t page = 8192;
constexpr unsigned leaf_shift = 31;  // TCMalloc_PageMap2<35>: 17 bits, then 18
constexpr uint64_t root_count = uint64_t{1} << 17;
constexpr uint64_t leaf_count = uint64_t{1} << 18;
constexpr uint64_t most_leaves = 4096;  // 8 TiB
constexpr uint64_t most_classes = 128;
constexpr uint64_t largest_class = 256 << 10;
// class ThreadCache: lists of struct FreeList, of 32 bytes, for each class
constexpr uint64_t size_of_list = 32;
constexpr uint64_t length_in_list = 8;
constexpr uint64_t size_in_list = 24;
constexpr uint64_t next_in_cache = 4144;
constexpr uint64_t previous_in_cache = 4152;
// class CentralFreeListPadded
constexpr uint64_t size_of_central = 1216;
constexpr uint64_t class_in_central = 8;
constexpr uint64_t slots_in_central = 128;
constexpr uint64_t used_slots_in_central = 1152;
constexpr uint64_t most_slots = 64;

// Whether the numbers of the next classes follow where each central cache has its own.
bool is_class_1(std::span<const Word> words, uint64_t address, uint64_t value) {
  constexpr uint64_t several = 16;
  if (value != 1) return false;
  for (uint64_t i = 1; i < several; i++)
    if (value_at(words, address + i * size_of_central) != i + 1) return false;
  return true;
}

}  // namespace

// The span at this address; nothing: there is none, or it was changed.
std::optional<TcmallocHeap::Span> TcmallocHeap::read_span(uint64_t address) {
  constexpr uint64_t most_pages = uint64_t{1} << 35;
  std::array<uint64_t, 6> words = {};  // struct Span
  if (address % 8 != 0 || !memory_.read(address, words.data(), sizeof words)) return {};
  const uint64_t start = words[0];
  const uint64_t length = words[1];
  const uint64_t location = words[5] >> 24 & 3;
  if (start == 0 || length == 0 || start >= most_pages || length > most_pages - start) return {};
  if (location > 2) return {};
  Span span{.begin = start * page,
            .end = (start + length) * page,
            .free = words[4],
            .used = words[5] & 0xffff,
            .size_class = words[5] >> 16 & 0xff,
            .is_free = location != 0};
  if (span.size_class >= most_classes) return {};
  return span;
}

std::unique_ptr<Heap> TcmallocHeap::find(const Target& target, MemoryCache& memory,
                                         std::span<const uint64_t> addresses) {
  std::unique_ptr<TcmallocHeap> heap(new TcmallocHeap(target, memory));
  const auto root = find_radix_root(
      target, addresses, leaf_shift, root_count, [&](uint64_t leaf, uint64_t address) {
        const auto span = heap->read_span(memory.word(leaf + address / page % leaf_count * 8));
        return span && !span->is_free && address >= span->begin && address < span->end;
      });
  if (!root) return nullptr;
  heap->root_ = root->address;
  if (!heap->find_caches(root->words)) return nullptr;
  return heap;
}

// ---- the caches of threads, and the central ones ----

// False: what looked like a page map is something else.
bool TcmallocHeap::find_caches(std::span<const Word> words) {
  for (const auto& [address, value] : words) {
    if (a_cache_ == 0 && value % 8 == 0 && find_mapping(target_.mappings(), value) != nullptr) {
      if (auto sizes = sizes_in_cache(value)) {
        a_cache_ = value;
        sizes_ = std::move(*sizes);
      }
    }
    if (central_ == 0 && is_class_1(words, address, value))
      central_ = address - size_of_central - class_in_central;
  }
  return a_cache_ != 0 && central_ != 0;
}

// Nothing: there is no cache of a thread.
std::optional<std::vector<uint64_t>> TcmallocHeap::sizes_in_cache(uint64_t cache) {
  constexpr size_t least = 32;  // classes
  if (memory_.word(cache + size_of_list + size_in_list) != 8) return {};
  std::vector<uint64_t> sizes = {0};
  while (sizes.size() < most_classes) {
    const uint64_t size =
        memory_.word(cache + sizes.size() * size_of_list + size_in_list) << 32 >> 32;
    if (size == 0) break;
    if (size <= sizes.back() || size % 8 != 0 || size > largest_class) return {};
    sizes.push_back(size);
  }
  if (sizes.size() < least || sizes.back() != largest_class) return {};
  return sizes;
}

// Adds a list of so many blocks; UINT64_MAX: of any number. False: it has another one.
bool TcmallocHeap::add_list(Blocks& blocks, uint64_t head, uint64_t count) {
  uint64_t block = head;
  for (uint64_t i = 0; i < count && (block != 0 || count != UINT64_MAX); i++) {
    if (block == 0 || block % 8 != 0 || steps_ == 0) return false;
    steps_--;
    blocks.push_back(block);
    block = memory_.word(block);
  }
  return true;
}

// The free blocks of a class that are not in lists of spans.
const std::optional<TcmallocHeap::Blocks>& TcmallocHeap::cached_blocks(uint64_t size_class) {
  auto [at, is_new] = cached_.try_emplace(size_class);
  if (!is_new) return at->second;
  Blocks blocks;
  const auto add_cache = [&](uint64_t cache) {
    const uint64_t list = cache + size_class * size_of_list;
    const uint64_t length = memory_.word(list + length_in_list) << 32 >> 32;
    return memory_.word(list + size_in_list) << 32 >> 32 == sizes_[size_class] &&
           add_list(blocks, memory_.word(list), length);
  };
  if (!add_cache(a_cache_)) return at->second;
  size_t count = 0;
  for (const uint64_t link : {next_in_cache, previous_in_cache}) {
    uint64_t before = a_cache_;
    for (uint64_t cache = memory_.word(before + link); cache != 0;) {
      const uint64_t back = link == next_in_cache ? previous_in_cache : next_in_cache;
      if (++count > 1 << 16 || memory_.word(cache + back) != before || !add_cache(cache))
        return at->second;
      before = cache;
      cache = memory_.word(cache + link);
    }
  }
  const uint64_t central = central_ + size_class * size_of_central;
  const uint64_t slots = memory_.word(central + used_slots_in_central) << 32 >> 32;
  if (slots > most_slots) return at->second;
  for (uint64_t i = 0; i < slots; i++) {
    const uint64_t head = memory_.word(central + slots_in_central + i * 16);
    if (head == 0 || !add_list(blocks, head, UINT64_MAX)) return at->second;
  }
  std::sort(blocks.begin(), blocks.end());
  at->second = std::move(blocks);
  return at->second;
}

const std::optional<TcmallocHeap::Blocks>& TcmallocHeap::free_in_span() {
  auto [at, is_new] = in_span_.try_emplace(span_.begin);
  if (!is_new) return at->second;
  const uint64_t count = (span_.end - span_.begin) / sizes_[span_.size_class];
  Blocks blocks;
  if (span_.used > count || !add_list(blocks, span_.free, count - span_.used)) return at->second;
  std::sort(blocks.begin(), blocks.end());
  at->second = std::move(blocks);
  return at->second;
}

// ---- blocks ----

// Sets span_ to the last one that begins before an address: not before the last one looked up.
void TcmallocHeap::look_up(uint64_t address) {
  if (address >> leaf_shift != leaf_number_) {
    leaf_number_ = address >> leaf_shift;
    const uint64_t leaf = leaf_number_ < root_count ? memory_.word(root_ + leaf_number_ * 8) : 0;
    leaf_address_ = leaf;
    leaf_.clear();
    if (leaf != 0 && leaves_ != 0) leaf_ = nonzero_words(target_, {leaf, leaf + leaf_count * 8});
    if (leaves_ != 0) leaves_--;
    looked_up_to_ = 0;
    span_ = {};
  }
  if (address < span_.end) return;
  // Free spans and big blocks have an entry for their first and last page only. What is between is
  // 0 or left from other spans, to which these entries no longer fit.
  const size_t end = entries_before(leaf_, leaf_address_ + (address / page % leaf_count + 1) * 8);
  for (size_t i = end; i > looked_up_to_; i--) {
    const uint64_t number = (leaf_[i - 1].address - leaf_address_) / 8;
    const uint64_t at = (leaf_number_ * leaf_count + number) * page;
    const std::optional<Span> span = read_span(leaf_[i - 1].value);
    if (!span || at < span->begin || at >= span->end) continue;
    span_ = *span;
    break;
  }
  looked_up_to_ = std::max(looked_up_to_, end);
}

bool TcmallocHeap::may_be_block(uint64_t address) const {
  const Mapping* mapping = find_mapping(target_.mappings(), address);
  return address % 8 == 0 && mapping != nullptr && mapping->writable;
}

HeapBlock TcmallocHeap::judge(uint64_t address) {
  if (address >= span_.end || address < span_.begin) return {};
  if (span_.is_free) return {.begin = span_.begin, .end = span_.end, .state = State::Freed};
  HeapBlock block{.begin = span_.begin, .end = span_.end, .state = State::Used};
  if (span_.size_class == 0) {
    block.keeps_remains = memory_.word(block.begin) == 0;
    return block;
  }
  if (span_.size_class >= sizes_.size()) return {.state = State::Unknown};
  const uint64_t size = sizes_[span_.size_class];
  block.begin += (address - span_.begin) / size * size;
  block.end = block.begin + size;
  // What is left behind the last block.
  if (block.end > span_.end) return {.begin = block.begin, .end = span_.end, .state = State::Freed};
  const uint64_t next = memory_.word(block.begin);
  if (next != 0 && !may_be_block(next)) return block;
  const std::optional<Blocks>& cached = cached_blocks(span_.size_class);
  const std::optional<Blocks>& in_span = free_in_span();
  if (!cached || !in_span)
    block.state = State::Unknown;
  else if (std::binary_search(cached->begin(), cached->end(), block.begin) ||
           std::binary_search(in_span->begin(), in_span->end(), block.begin))
    block.state = State::Freed;
  else
    block.keeps_remains = next == 0;
  return block;
}

bool TcmallocHeap::find_blocks(std::span<const uint64_t> addresses, std::span<HeapBlock> blocks) {
  constexpr uint64_t most = 1 << 24;
  memory_.forget();
  cached_.clear();
  in_span_.clear();
  steps_ = most;
  leaves_ = most_leaves;
  leaf_number_ = UINT64_MAX;
  bool is_sound = true;
  for (size_t i = 0; i < addresses.size(); i++) {
    look_up(addresses[i]);
    const HeapBlock block = judge(addresses[i]);
    if (block.state == State::Outside) continue;
    blocks[i] = block;
    if (block.state == State::Unknown) is_sound = false;
  }
  return is_sound;
}

}  // namespace skein
