#include "frames/mimalloc_heap.h"

#include <algorithm>

namespace skein {

namespace {

using State = HeapBlock::State;
constexpr uint64_t segment_size = uint64_t{32} << 20;
constexpr uint64_t slice_size = 64 << 10;
constexpr uint64_t most_slices = 512;
constexpr uint64_t huge = 1;  // MI_SEGMENT_HUGE
// struct mi_segment_s
constexpr uint64_t cookie_at = 216;
constexpr uint64_t segment_slices_at = 224;
constexpr uint64_t info_slices_at = 232;
constexpr uint64_t kind_at = 240;
constexpr uint64_t slice_entries_at = 248;
constexpr uint64_t thread_at = 256;
constexpr uint64_t slices_at = 264;
constexpr uint64_t size_of_slice = 80;  // struct mi_page_s
// struct mi_heap_s
constexpr uint64_t delayed_in_heap = 2840;
constexpr uint64_t thread_in_heap = 2848;

template <typename T>
T get(std::span<const uint8_t> bytes, uint64_t at) {
  T value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::unique_ptr<Heap> MimallocHeap::find(const Target& target, MemoryCache& memory,
                                         std::span<const uint64_t> addresses) {
  std::unique_ptr<MimallocHeap> heap(new MimallocHeap(target, memory));
  uint64_t last = UINT64_MAX;
  for (const uint64_t address : addresses) {
    const uint64_t begin = address / segment_size * segment_size;
    if (begin == last) continue;
    last = begin;
    const std::optional<Segment> segment = heap->read_segment(begin);
    if (!segment || !heap->has_owner(*segment)) continue;
    heap->cookie_ = segment->cookie ^ begin;
    return heap;
  }
  return nullptr;
}

// Whether the heap of a thread has a page of a segment that is the thread's.
bool MimallocHeap::has_owner(const Segment& segment) const {
  return segment.thread != 0 &&
         std::any_of(segment.pages.begin(), segment.pages.end(), [&](const Page& page) {
           return page.block_size != 0 && page.heap != 0 && page.heap % 8 == 0 &&
                  memory_.word(page.heap + thread_in_heap) == segment.thread;
         });
}

// ---- segments and pages ----

std::optional<MimallocHeap::Segment> MimallocHeap::read_segment(uint64_t begin) const {
  if (begin == 0 || find_mapping(target_.mappings(), begin) == nullptr) return {};
  std::vector<uint8_t> bytes(slices_at + most_slices * size_of_slice);
  if (memory_.word(begin + slices_at) != 1) return {};  // of the header itself: cheap to check
  if (target_.read(begin, bytes) != bytes.size()) return {};
  Segment segment{.begin = begin,
                  .cookie = get<uint64_t>(bytes, cookie_at),
                  .thread = get<uint64_t>(bytes, thread_at)};
  const uint64_t slices = get<uint64_t>(bytes, segment_slices_at);
  const uint64_t entries = get<uint64_t>(bytes, slice_entries_at);
  const auto kind = get<uint32_t>(bytes, kind_at);
  const bool has_cookie = cookie_ == 0 || (segment.cookie ^ begin) == cookie_;
  if (!has_cookie || get<uint64_t>(bytes, info_slices_at) != 1 || kind > huge) return {};
  if (entries < 2 || entries > most_slices || slices < entries || slices > uint64_t{1} << 30)
    return {};
  if (kind != huge && slices != most_slices) return {};
  segment.end = begin + slices * slice_size;
  uint64_t i = 0;
  while (i < entries) {
    const std::span<const uint8_t> slice = std::span(bytes).subspan(slices_at + i * size_of_slice);
    const auto count = get<uint32_t>(slice, 0);
    const auto offset = get<uint32_t>(slice, 4);
    if (count == 0 || offset != 0 || count > slices - i) return {};
    Page page{.begin = begin + i * slice_size,
              .capacity = get<uint16_t>(slice, 10),
              .used = get<uint32_t>(slice, 24),
              .free = get<uint64_t>(slice, 16),
              .local_free = get<uint64_t>(slice, 32),
              .thread_free = get<uint64_t>(slice, 40),
              .heap = get<uint64_t>(slice, 48)};
    page.end = page.begin + count * slice_size;
    page.block_size = get<uint32_t>(slice, 28);
    constexpr uint64_t small = 1024;
    page.first = page.begin + (page.block_size <= small ? 384 : 0);
    constexpr uint64_t unknown_size = uint64_t{2} << 30;
    if (page.block_size >= unknown_size) page.block_size = page.end - page.first;
    page.is_sound = page.block_size == 0 ||
                    (page.may_be_block(page.free) && page.may_be_block(page.local_free));
    if (i != 0) segment.pages.push_back(page);
    i += count;
  }
  // The last slice of a whole segment may be out of use.
  if (kind != huge && i != entries) return {};
  return segment;
}

// Whether a segment begins at this address, but its header contradicts itself.
bool MimallocHeap::is_unclear(uint64_t begin) {
  const auto at = segments_.find(begin);
  return at != segments_.end() && !at->second &&
         (memory_.word(begin + cookie_at) ^ begin) == cookie_;
}

// Null: it is in no segment.
const MimallocHeap::Page* MimallocHeap::page_of(uint64_t address) {
  const uint64_t begin = address / segment_size * segment_size;
  auto [at, is_new] = segments_.try_emplace(begin);
  constexpr int tries = 3;
  for (int i = 0; i < tries && is_new && !at->second; i++) at->second = read_segment(begin);
  if (!at->second) return nullptr;
  const std::vector<Page>& pages = at->second->pages;
  const auto next = std::upper_bound(pages.begin(), pages.end(), address,
                                     [](uint64_t a, const Page& b) { return a < b.begin; });
  if (next == pages.begin() || !std::prev(next)->contains(address)) return nullptr;
  return &*std::prev(next);
}

// ---- lists of free blocks ----

// The blocks of a list, ascending. Nothing: it contradicts itself, or leaves the page.
std::optional<MimallocHeap::Blocks> MimallocHeap::list(uint64_t head, const Page* page) {
  Blocks blocks;
  for (uint64_t block = head; block != 0; block = memory_.word(block)) {
    if (steps_ == 0 || block % 8 != 0) return {};
    steps_--;
    if (page != nullptr && blocks.size() == page->capacity) return {};
    if (page != nullptr && !page->may_be_block(block)) return {};
    blocks.push_back(block);
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

const std::optional<MimallocHeap::Blocks>& MimallocHeap::free_blocks(const Page& page) {
  auto [at, is_new] = free_.try_emplace(page.begin);
  std::optional<Blocks>& found = at->second;
  if (!is_new) return found;
  const std::optional<Blocks> lists[] = {
      list(page.free, &page), list(page.local_free, &page),
      list(page.thread_free & ~uint64_t{3}, &page)};  // with flags
  if (!lists[0] || !lists[1] || !lists[2]) return found;
  // Those that other threads have freed count as used.
  if (lists[0]->size() + lists[1]->size() + page.used != page.capacity) return found;
  found = Blocks();
  for (const auto& one : lists) found->insert(found->end(), one->begin(), one->end());
  if (page.heap != 0) {
    const std::optional<Blocks>& delayed = delayed_blocks(page.heap);
    if (!delayed) {
      found.reset();
      return found;
    }
    for (const uint64_t block : *delayed)
      if (page.contains(block)) found->push_back(block);
  }
  std::sort(found->begin(), found->end());
  return found;
}

// What other threads have freed first in each page without free blocks.
const std::optional<MimallocHeap::Blocks>& MimallocHeap::delayed_blocks(uint64_t heap) {
  auto [at, is_new] = delayed_.try_emplace(heap);
  if (is_new && heap % 8 == 0) {
    const uint64_t thread = memory_.word(heap + thread_in_heap);
    const bool is_heap = std::any_of(segments_.begin(), segments_.end(), [&](const auto& segment) {
      return segment.second && segment.second->thread == thread && thread != 0;
    });
    if (is_heap) at->second = list(memory_.word(heap + delayed_in_heap), nullptr);
  }
  return at->second;
}

// ---- blocks ----

HeapBlock MimallocHeap::judge(uint64_t address, const Page& page) {
  if (page.block_size == 0) return {.begin = page.begin, .end = page.end, .state = State::Freed};
  if (!page.is_sound) return {.state = State::Unknown};
  const uint64_t index = address < page.first ? 0 : (address - page.first) / page.block_size;
  HeapBlock block{.begin = page.first + index * page.block_size};
  block.end = block.begin + page.block_size;
  // What is left in front of the first block and behind the last one.
  if (address < page.first) return {.begin = page.begin, .end = page.first, .state = State::Freed};
  if (block.end > page.end) return {.begin = block.begin, .end = page.end, .state = State::Freed};
  if (index >= page.capacity) {
    block.state = State::Freed;
    return block;
  }
  block.state = State::Used;
  const uint64_t next = memory_.word(block.begin);
  if (next != 0 && page_of(next) == nullptr) return block;
  const std::optional<Blocks>& free = free_blocks(page);
  if (!free)
    block.state = State::Unknown;
  else if (std::binary_search(free->begin(), free->end(), block.begin))
    block.state = State::Freed;
  else
    block.keeps_remains = next == 0;
  return block;
}

bool MimallocHeap::find_blocks(std::span<const uint64_t> addresses, std::span<HeapBlock> blocks) {
  constexpr uint64_t most = 1 << 24;
  memory_.forget();
  segments_.clear();
  free_.clear();
  delayed_.clear();
  steps_ = most;
  bool is_sound = true;
  for (size_t i = 0; i < addresses.size(); i++) {
    const Page* const page = page_of(addresses[i]);
    if (page != nullptr)
      blocks[i] = judge(addresses[i], *page);
    else if (is_unclear(addresses[i] / segment_size * segment_size))
      blocks[i] = {.state = State::Unknown};
    else
      continue;
    if (blocks[i].state == State::Unknown) is_sound = false;
  }
  return is_sound;
}

}  // namespace skein
