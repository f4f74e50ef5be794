#include "frames/mimalloc_heap.h"

#include <doctest/doctest.h>

#include "frames/sparse_target.h"

using namespace skein;

namespace {

using State = HeapBlock::State;

// A segment with one page of 64-byte blocks: four were ever used; the second is free, the third was
// freed by another thread.
struct Mimalloc {
  static constexpr uint64_t segment = 0x600000000000;
  static constexpr uint64_t slices = segment + 264;
  static constexpr uint64_t first = segment + 0x10000 + 384;
  static constexpr uint64_t heap = 0x700000000000;
  static constexpr uint64_t thread = 0x700000100000;
  SparseTarget target = {};

  Mimalloc() {
    target.map(segment, segment + (32 << 20));
    target.map(heap, heap + 0x10000);
    target.set(segment + 216, segment ^ 0x123456);
    target.set(segment + 224, uint64_t{512});
    target.set(segment + 232, uint64_t{1});
    target.set(segment + 248, uint64_t{512});
    target.set(segment + 256, thread);
    target.set(slices, uint64_t{1});
    const uint64_t page = slices + 80;
    target.set(page, uint64_t{1});
    target.set(page + 8, uint64_t{4} << 16);
    target.set(page + 16, first + 64);
    target.set(page + 24, uint64_t{64} << 32 | 3);
    target.set(page + 40, (first + 128) | 2);
    target.set(page + 48, heap);
    target.set(slices + 160, uint64_t{510});  // a free span
    target.set(heap + 2848, thread);
    target.set(first, uint64_t{0x400000});
  }
  std::vector<HeapBlock> blocks(const std::vector<uint64_t>& addresses, bool is_sound = true) {
    MemoryCache memory(target);
    const auto found = MimallocHeap::find(target, memory, addresses);
    std::vector<HeapBlock> all(addresses.size());
    if (found != nullptr) CHECK(found->find_blocks(addresses, all) == is_sound);
    return all;
  }
};

}  // namespace

TEST_CASE("blocks of mimalloc") {
  Mimalloc program;
  const uint64_t first = Mimalloc::first;
  const auto blocks =
      program.blocks({first, first + 64, first + 136, first + 192, first + 256, first + 0x100000});
  CHECK(blocks[0].state == State::Used);
  CHECK(blocks[0].begin == first);
  CHECK(blocks[0].end == first + 64);
  CHECK_FALSE(blocks[0].keeps_remains);
  CHECK(blocks[1].state == State::Freed);
  CHECK(blocks[2].state == State::Freed);
  CHECK(blocks[2].begin == first + 128);
  CHECK(blocks[3].state == State::Used);
  CHECK(blocks[3].keeps_remains);          // it begins as a free one may
  CHECK(blocks[4].state == State::Freed);  // never used
  CHECK(blocks[5].state == State::Freed);  // in the free span
}

TEST_CASE("a block of mimalloc that another thread has freed first") {
  Mimalloc program;
  program.target.set(Mimalloc::heap + 2840, Mimalloc::first + 192);
  const auto blocks = program.blocks({Mimalloc::first + 192});
  CHECK(blocks[0].state == State::Freed);
}

TEST_CASE("lists of mimalloc that do not add up") {
  Mimalloc program;
  program.target.set(Mimalloc::first + 64, Mimalloc::first + 64);  // a list without an end
  const auto blocks = program.blocks({Mimalloc::first, Mimalloc::first + 192}, false);
  CHECK(blocks[0].state == State::Used);
  CHECK(blocks[1].state == State::Unknown);
}

TEST_CASE("no mimalloc") {
  Mimalloc program;
  program.target.set(Mimalloc::heap + 2848, uint64_t{0});  // of no thread
  CHECK(program.blocks({Mimalloc::first})[0].state == State::Outside);
}
