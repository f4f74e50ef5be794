#include "frames/tcmalloc_heap.h"

#include <doctest/doctest.h>

#include "frames/sparse_target.h"

using namespace skein;

namespace {

using State = HeapBlock::State;

// A span of 128 blocks of 64 bytes: the second is in a thread's cache, the third in the span's
// list, the fourth in the central cache. Behind it, a big block of three pages, and free pages.
struct Tcmalloc {
  static constexpr uint64_t variables = 0x500000000000;
  static constexpr uint64_t central = variables + 0x1000;
  static constexpr uint64_t root = variables + 0x40000;
  static constexpr uint64_t leaf = 0x600000000000;
  static constexpr uint64_t spans = 0x600001000000;
  static constexpr uint64_t cache = 0x600001100000;
  static constexpr uint64_t heap = 0x700080000000;
  static constexpr uint64_t class_of_64 = 5;
  SparseTarget target = {};

  void add(uint64_t number, uint64_t page, uint64_t count, uint64_t list, uint64_t bits) {
    const uint64_t span = spans + number * 48;
    target.set(span, heap / 8192 + page);
    target.set(span + 8, count);
    target.set(span + 32, list);
    target.set(span + 40, bits);
    target.set(leaf + page * 8, span);
    target.set(leaf + (page + count - 1) * 8, span);
  }
  Tcmalloc() {
    target.map(variables, variables + 0x180000, "/program");
    target.map(leaf, leaf + 0x1200000);
    target.map(heap, heap + 0x100000);
    target.set(root + (heap >> 31) * 8, leaf);
    add(0, 0, 1, heap + 128, 127 | class_of_64 << 16);
    add(1, 1, 3, 0, 1);
    add(2, 4, 100, 0, uint64_t{1} << 24);
    target.set(variables, cache);
    uint64_t size = 0;
    for (uint64_t i = 1; i <= 40; i++) {
      size += i < 3 ? 8 : 16;
      if (i == 40) size = 256 << 10;
      target.set(cache + i * 32 + 24, size);
    }
    for (uint64_t i = 0; i < 41; i++) target.set(central + i * 1216 + 8, i);
    target.set(cache + class_of_64 * 32, heap + 64);
    target.set(cache + class_of_64 * 32 + 8, uint64_t{1});
    target.set(central + class_of_64 * 1216 + 128, heap + 192);
    target.set(central + class_of_64 * 1216 + 1152, uint64_t{1});
    target.set(heap, uint64_t{0x400000});
  }
  std::vector<HeapBlock> blocks(const std::vector<uint64_t>& addresses, bool is_sound = true) {
    MemoryCache memory(target);
    const auto found = TcmallocHeap::find(target, memory, addresses);
    std::vector<HeapBlock> all(addresses.size());
    if (found != nullptr) CHECK(found->find_blocks(addresses, all) == is_sound);
    return all;
  }
};

}  // namespace

TEST_CASE("blocks of tcmalloc") {
  Tcmalloc program;
  const uint64_t heap = Tcmalloc::heap;
  const auto blocks =
      program.blocks({heap - 8, heap, heap + 64, heap + 128, heap + 200, heap + 256, heap + 8192,
                      heap + 2 * 8192 + 8, heap + 50 * 8192, heap + 110 * 8192});
  CHECK(blocks[0].state == State::Outside);
  CHECK(blocks[1].state == State::Used);
  CHECK(blocks[1].end == heap + 64);
  CHECK_FALSE(blocks[1].keeps_remains);
  CHECK(blocks[2].state == State::Freed);
  CHECK(blocks[3].state == State::Freed);
  CHECK(blocks[4].state == State::Freed);
  CHECK(blocks[4].begin == heap + 192);
  CHECK(blocks[5].state == State::Used);
  CHECK(blocks[5].keeps_remains);  // it begins as a free one may
  CHECK(blocks[6].state == State::Used);
  CHECK(blocks[7].begin == heap + 8192);
  CHECK(blocks[7].end == heap + 4 * 8192);
  CHECK(blocks[8].state == State::Freed);
  CHECK(blocks[9].state == State::Outside);
}

TEST_CASE("lists of tcmalloc that do not add up") {
  Tcmalloc program;
  program.target.set(Tcmalloc::cache + Tcmalloc::class_of_64 * 32 + 8, uint64_t{2});
  const auto blocks = program.blocks({Tcmalloc::heap, Tcmalloc::heap + 256}, false);
  CHECK(blocks[0].state == State::Used);
  CHECK(blocks[1].state == State::Unknown);
}

TEST_CASE("no tcmalloc") {
  Tcmalloc program;
  program.target.set(Tcmalloc::cache + 2 * 32 + 24, uint64_t{9});
  CHECK(program.blocks({Tcmalloc::heap})[0].state == State::Outside);
}
