#include "frames/jemalloc_heap.h"

#include <doctest/doctest.h>

#include "frames/sparse_target.h"

using namespace skein;

namespace {

using State = HeapBlock::State;

// A program with a slab of four blocks of 64 bytes, the last of them free, a block of 16 KiB, and a
// free extent.
struct Jemalloc {
  static constexpr uint64_t variables = 0x500000000000;
  static constexpr uint64_t root = variables + 4096;
  static constexpr uint64_t leaf = 0x600000000000;
  static constexpr uint64_t extents = 0x600001000000;
  static constexpr uint64_t arena = 0x600001100000;
  static constexpr uint64_t cache = 0x600001200000;
  static constexpr uint64_t bins = 0x600001300000;
  static constexpr uint64_t stack = 0x600001400000;
  static constexpr uint64_t heap = 0x700040000000;
  static constexpr uint64_t index_of_leaf = heap >> 30;
  SparseTarget target = {};

  void add(uint64_t number, uint64_t bits, uint64_t address, uint64_t size, uint64_t entry) {
    const uint64_t extent = extents + number * 128;
    target.set(extent, bits);
    target.set(extent + 8, address);
    target.set(extent + 16, size);
    for (uint64_t at = 0; at < size; at += 4096)
      if (at == 0 || at == size - 4096 || (entry & 1) != 0)
        target.set(leaf + ((address + at - heap) / 4096) * 8, extent | entry);
  }
  Jemalloc() {
    target.map(variables, variables + 0x210000, "/program");
    target.map(leaf, leaf + 0x1500000);
    target.map(heap, heap + 0x100000);
    target.set(root + index_of_leaf * 8, leaf);
    const uint64_t slab = uint64_t{1} << 12;
    const uint64_t of_64 = uint64_t{4} << 20;
    add(0, slab | of_64 | uint64_t{61} << 28, heap, 4096, uint64_t{4} << 48 | 1);
    target.set(extents + 64, ~uint64_t{7});    // three blocks are used
    target.set(extents + 72, 0xdddddddddddd);  // not set
    const uint64_t of_16384 = uint64_t{36} << 20;
    add(1, of_16384, heap + 4096, 0x5000, uint64_t{36} << 48);
    const uint64_t dirty = uint64_t{1} << 17;
    add(2, dirty, heap + 0x10000, 0x8000, uint64_t{232} << 48 | 1 << 2);
    // One thread's cache, with the second block.
    target.set(variables, arena);
    target.set(arena + 0x2898, cache);
    target.set(cache, cache);
    target.set(cache + 8, cache);
    target.set(cache + 40, arena);
    target.set(cache + 168, bins);
    target.set(bins, cache);
    for (uint64_t i = 0; i < 73; i++) set_bin(i, stack + 256, 0);
    set_bin(4, stack + 256 - 8, 64);
    target.set(stack + 256 - 8, heap + 64);
  }
  void set_bin(uint64_t number, uint64_t head, uint64_t room) {
    const uint64_t end = stack + 256;
    target.set(bins + 8 + number * 24, head);
    target.set(bins + 24 + number * 24, (end & 0xffff) << 32 | ((end - room) & 0xffff) << 16);
  }

  std::vector<HeapBlock> blocks(const std::vector<uint64_t>& addresses, bool is_sound = true) {
    MemoryCache memory(target);
    const auto found = JemallocHeap::find(target, memory, addresses);
    std::vector<HeapBlock> all(addresses.size());
    if (found != nullptr) CHECK(found->find_blocks(addresses, all) == is_sound);
    return all;
  }
};

}  // namespace

TEST_CASE("blocks of jemalloc") {
  Jemalloc program;
  const uint64_t heap = Jemalloc::heap;
  const auto blocks = program.blocks({heap - 8, heap, heap + 64, heap + 136, heap + 192,
                                      heap + 4096, heap + 0x2008, heap + 0x8000, heap + 0x12340});
  CHECK(blocks[0].state == State::Outside);
  CHECK(blocks[1].state == State::Used);
  CHECK(blocks[1].begin == heap);
  CHECK(blocks[1].end == heap + 64);
  CHECK(blocks[1].keeps_remains);
  CHECK(blocks[2].state == State::Freed);  // by the thread that has it in its cache
  CHECK(blocks[3].state == State::Used);
  CHECK(blocks[3].begin == heap + 128);
  CHECK(blocks[4].state == State::Freed);
  CHECK(blocks[5].state == State::Used);
  CHECK(blocks[5].end == heap + 4096 + 0x4000);
  CHECK(blocks[6].begin == heap + 4096);
  CHECK(blocks[7].state == State::Outside);  // behind the big block
  CHECK(blocks[8].state == State::Freed);
}

TEST_CASE("a slab of jemalloc that contradicts itself") {
  Jemalloc program;
  program.target.set(Jemalloc::extents + 64, ~uint64_t{3});
  const uint64_t heap = Jemalloc::heap;
  const auto blocks = program.blocks({heap + 8, heap + 4096}, false);
  CHECK(blocks[0].state == State::Unknown);
  CHECK(blocks[1].state == State::Used);
}

TEST_CASE("a slab of jemalloc that does not begin at a page") {
  Jemalloc program;
  program.target.set(Jemalloc::extents + 8, Jemalloc::heap + 1024);
  const uint64_t heap = Jemalloc::heap;
  const auto blocks = program.blocks({heap + 8, heap + 4096}, false);
  CHECK(blocks[0].state == State::Unknown);
  CHECK(blocks[1].state == State::Used);
}

TEST_CASE("a thread of jemalloc whose cache cannot be read") {
  Jemalloc program;
  program.target.set(Jemalloc::bins, uint64_t{0});
  const uint64_t heap = Jemalloc::heap;
  const auto blocks = program.blocks({heap, heap + 192});
  CHECK(blocks[0].state == State::Unknown);
  CHECK(blocks[1].state == State::Freed);
}

TEST_CASE("no jemalloc") {
  SparseTarget target;
  target.map(Jemalloc::variables, Jemalloc::variables + 0x210000, "/program");
  target.map(Jemalloc::heap, Jemalloc::heap + 0x10000);
  MemoryCache memory(target);
  CHECK(JemallocHeap::find(target, memory, std::vector{Jemalloc::heap}) == nullptr);
}
