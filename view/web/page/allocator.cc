// The page's heap. The library's is 10 kB of code, 5 kB of the packed page; this is a fifth of
// that.
//
// Up to 16 kB: free lists by size, in multiples of 16 up to 1 kB, then four sizes per doubling. A
// freed block returns to its list and is never merged. Small blocks are cut from larger ones.
// Larger blocks consist of 4 kB pages, in one list ordered by address, where adjacent blocks are
// merged; allocation takes the smallest that fits. That list is short. Each block has a header of
// 16 bytes: its list or its number of pages, and the offset of the header from the start of the
// block.
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" unsigned char __heap_base;

namespace {

constexpr size_t head_size = 16;
constexpr size_t page_size = 4'096;
constexpr size_t wasm_page = 65'536;
constexpr size_t chunk = 16;    // pages cut into small blocks at a time
constexpr uint32_t small = 64;  // lists of 16, 32, ... 1024 bytes
constexpr uint32_t all = small + 4 * 4;

struct Head {
  uint32_t list;  // from `all` on: the number of pages plus `all`
  uint32_t offset;
  Head* next;  // of a free block
};
static_assert(sizeof(Head) <= head_size);

Head* lists[all];
Head* pages;  // free ones: `list` is the number of pages
uintptr_t top = 0;
uintptr_t cut = 0;  // the rest of the current chunk
uintptr_t cut_end = 0;

uint32_t list_of(size_t size) {
  if (size <= 1024) return static_cast<uint32_t>((size - 1) / 16);
  const auto doublings = static_cast<uint32_t>(31 - __builtin_clz(static_cast<uint32_t>(size - 1)));
  return small + 4 * (doublings - 10) + static_cast<uint32_t>((size - 1) >> (doublings - 2) & 3);
}
size_t size_of(uint32_t list) {
  if (list < small) return 16 * (size_t{list} + 1);
  if (list >= all) return (list - all) * page_size;
  return static_cast<size_t>(5 + (list - small) % 4) << ((list - small) / 4 + 8);
}

uintptr_t end_of(const Head* piece) {
  return reinterpret_cast<uintptr_t>(piece) + piece->list * page_size;
}

void give_pages(uintptr_t begin, uint32_t count) {
  Head** link = &pages;
  Head* before = nullptr;
  while (*link != nullptr && reinterpret_cast<uintptr_t>(*link) < begin) {
    before = *link;
    link = &before->next;
  }
  auto* piece = reinterpret_cast<Head*>(begin);
  *piece = {count, 0, *link};
  *link = piece;
  if (before != nullptr && end_of(before) == begin) {
    before->list += count;
    before->next = piece->next;
    piece = before;
  }
  if (const Head* const after = piece->next;
      after != nullptr && end_of(piece) == reinterpret_cast<uintptr_t>(after)) {
    piece->list += after->list;
    piece->next = after->next;
  }
}

uintptr_t take_pages(uint32_t count) {
  for (;;) {
    Head** best = nullptr;
    for (Head** link = &pages; *link != nullptr; link = &(*link)->next)
      if ((*link)->list >= count && (best == nullptr || (*link)->list < (*best)->list)) best = link;
    if (best != nullptr) {
      // Takes the end of the piece, so that the list stays unchanged.
      Head* const piece = *best;
      piece->list -= count;
      if (piece->list == 0) *best = piece->next;
      return end_of(piece);
    }
    if (top == 0) {
      top = __builtin_wasm_memory_size(0) * wasm_page;
      const uintptr_t begin =
          (reinterpret_cast<uintptr_t>(&__heap_base) + page_size - 1) & ~(page_size - 1);
      if (top > begin) give_pages(begin, static_cast<uint32_t>((top - begin) / page_size));
      continue;
    }
    const size_t more = (size_t{count} * page_size + wasm_page - 1) / wasm_page;
    if (__builtin_wasm_memory_grow(0, more) == SIZE_MAX) return 0;
    give_pages(top, static_cast<uint32_t>(more * (wasm_page / page_size)));
    top += more * wasm_page;
  }
}

Head* head_of(void* given) {
  return reinterpret_cast<Head*>(static_cast<char*>(given) - head_size);
}

}  // namespace

extern "C" {

void* malloc(size_t size) {
  if (size > 0xc0000000) return nullptr;
  size += head_size;
  uintptr_t block = 0;
  uint32_t list = 0;
  if (size > 16'384) {
    const auto count = static_cast<uint32_t>((size + page_size - 1) / page_size);
    list = all + count;
    block = take_pages(count);
  } else {
    list = list_of(size);
    if (Head* const free_one = lists[list]) {
      lists[list] = free_one->next;
      block = reinterpret_cast<uintptr_t>(free_one);
    } else {
      size = size_of(list);
      if (cut_end - cut < size) {  // the rest is wasted
        cut = take_pages(chunk);
        cut_end = cut == 0 ? 0 : cut + chunk * page_size;
      }
      block = cut;
      if (cut != 0) cut += size;
    }
  }
  if (block == 0) return nullptr;
  *reinterpret_cast<Head*>(block) = {list, 0, nullptr};
  return reinterpret_cast<char*>(block) + head_size;
}

void free(void* given) {
  if (given == nullptr) return;
  const Head* const head = head_of(given);
  const uintptr_t block = reinterpret_cast<uintptr_t>(head) - head->offset;
  const uint32_t list = head->list;
  if (list >= all) return give_pages(block, list - all);
  auto* const free_one = reinterpret_cast<Head*>(block);
  free_one->next = lists[list];
  lists[list] = free_one;
}

void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  void* const given = malloc(bytes);
  return given == nullptr ? nullptr : std::memset(given, 0, bytes);
}

void* realloc(void* given, size_t size) {
  if (given == nullptr) return malloc(size);
  const Head* const head = head_of(given);
  const size_t room = size_of(head->list) - head_size - head->offset;
  if (size <= room) return given;
  void* const larger = malloc(size);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, given, room);
  free(given);
  return larger;
}

void* aligned_alloc(size_t alignment, size_t size) {
  if (alignment <= head_size) return malloc(size);
  void* const given = malloc(size + alignment);
  if (given == nullptr) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(given);
  const uintptr_t aligned = (begin + alignment - 1) & ~(alignment - 1);
  const uint32_t list = head_of(given)->list;
  auto* const moved = reinterpret_cast<void*>(aligned);
  *head_of(moved) = {list, static_cast<uint32_t>(aligned - begin), nullptr};
  return moved;
}

int posix_memalign(void** given, size_t alignment, size_t size) {
  *given = aligned_alloc(alignment, size);
  return *given == nullptr ? 12 : 0;  // ENOMEM
}
}
