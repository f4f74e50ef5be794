// The page's heap: lists of free blocks by size, and a top that grows. The library's is 10 kB of
// code, which is 5 of the page.
//
// Sizes are multiples of 16 up to 1 kB, then four to a doubling: at most a fifth of a block is not
// used. A block is given back to its list, and never becomes part of another: what is asked for is
// most often as large as something that was given back. In front of what is given out lie 16
// bytes: the block's list, and how far before them the block begins.
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" unsigned char __heap_base;

namespace {

constexpr size_t head_size = 16;
constexpr size_t page_size = 65'536;
constexpr uint32_t small = 64;  // lists of 16, 32, ... 1024 bytes

struct Head {
  uint32_t list;
  uint32_t offset;
  Head* next;  // of a free block
};
static_assert(sizeof(Head) <= head_size);

Head* lists[small + 4 * 22];
uintptr_t top = 0;

uint32_t list_of(size_t size) {
  if (size <= 1024) return static_cast<uint32_t>((size - 1) / 16);
  const auto doublings = static_cast<uint32_t>(31 - __builtin_clz(static_cast<uint32_t>(size - 1)));
  return small + 4 * (doublings - 10) + static_cast<uint32_t>((size - 1) >> (doublings - 2) & 3);
}
size_t size_of(uint32_t list) {
  if (list < small) return 16 * (size_t{list} + 1);
  return static_cast<size_t>(5 + (list - small) % 4) << ((list - small) / 4 + 8);
}

Head* head_of(void* given) {
  return reinterpret_cast<Head*>(static_cast<char*>(given) - head_size);
}

bool grow(uintptr_t end) {
  const uintptr_t have = __builtin_wasm_memory_size(0) * page_size;
  if (end <= have) return true;
  // A sixteenth more, so that it is not asked for often.
  const size_t least = (end - have + page_size - 1) / page_size;
  return __builtin_wasm_memory_grow(0, least + have / page_size / 16) != SIZE_MAX ||
         __builtin_wasm_memory_grow(0, least) != SIZE_MAX;
}

}  // namespace

extern "C" {

void* malloc(size_t size) {
  if (size > 0xc0000000) return nullptr;
  const uint32_t list = list_of(size + head_size);
  Head* block = lists[list];
  if (block != nullptr) {
    lists[list] = block->next;
  } else {
    if (top == 0) top = (reinterpret_cast<uintptr_t>(&__heap_base) + 15) & ~uintptr_t{15};
    const uintptr_t end = top + size_of(list);
    if (end < top || !grow(end)) return nullptr;
    block = reinterpret_cast<Head*>(top);
    top = end;
  }
  *block = {list, 0, nullptr};
  return reinterpret_cast<char*>(block) + head_size;
}

void free(void* given) {
  if (given == nullptr) return;
  const Head* const head = head_of(given);
  auto* const block = reinterpret_cast<Head*>(reinterpret_cast<uintptr_t>(head) - head->offset);
  const uint32_t list = head->list;
  *block = {list, 0, lists[list]};
  lists[list] = block;
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
