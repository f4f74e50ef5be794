#include "frames/glibc_heap.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace skein;

namespace {

// A process with a heap at 0x10000: blocks of these sizes, used or not.
class Memory : public Target {
 public:
  struct Block {
    uint64_t size;  // with its header
    bool is_used;
  };
  explicit Memory(const std::vector<Block>& blocks) : bytes_(0x2000) {
    mappings_ = {{.begin = base,
                  .end = base + bytes_.size(),
                  .readable = true,
                  .writable = true,
                  .file = "[heap]"}};
    uint64_t at = 0;
    uint64_t flag = 1;  // whether the block before is used
    for (const Block& block : blocks) {
      const uint64_t word = block.size | flag;
      std::memcpy(bytes_.data() + at + 8, &word, sizeof word);
      at += block.size;
      flag = block.is_used ? 1 : 0;
    }
    const uint64_t rest = (bytes_.size() - at) | flag;
    std::memcpy(bytes_.data() + at + 8, &rest, sizeof rest);
  }
  static constexpr uint64_t base = 0x10000;

  const std::string& name() const override { return name_; }
  uint64_t pid() const override { return 0; }
  Architecture architecture() const override { return Architecture::X86_64; }
  const std::vector<Mapping>& mappings() const override { return mappings_; }
  std::vector<TargetThread> threads() const override { return {}; }
  using Target::read;
  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    if (address < base || address >= base + bytes_.size()) return 0;
    const size_t count = std::min<size_t>(to.size(), base + bytes_.size() - address);
    std::memcpy(to.data(), bytes_.data() + (address - base), count);
    return count;
  }
  Result<Contents> file_of(const Mapping&) const override { return Error{.what = "none"}; }

 private:
  std::string name_ = "program";
  std::vector<uint8_t> bytes_;
  std::vector<Mapping> mappings_;
};

}  // namespace

TEST_CASE("the blocks of a heap") {
  const Memory target({{0x290, true}, {0x50, true}, {0x30, false}, {0x40, true}});
  MemoryCache cache(target);
  GlibcHeap heap(target, cache);
  REQUIRE(heap.is_found());
  const uint64_t first = Memory::base + 0x290 + 16;
  const std::vector<uint64_t> addresses = {first, first + 8, first + 0x50, first + 0x80};
  std::vector<HeapBlock> blocks(addresses.size());
  CHECK(heap.find_blocks(addresses, blocks));
  CHECK(blocks[0].begin == first);
  CHECK(blocks[0].end == first + 0x50 - 8);
  CHECK(blocks[0].is_used());
  CHECK(blocks[1].begin == first);  // within the block
  CHECK_FALSE(blocks[2].is_used());
  CHECK(blocks[3].is_used());
}

TEST_CASE("the last word of a block in use is the first of the next chunk") {
  const Memory target({{0x290, true}, {0x50, true}, {0x30, false}, {0x40, true}});
  MemoryCache cache(target);
  GlibcHeap heap(target, cache);
  const uint64_t chunk = Memory::base + 0x290;
  const std::vector<uint64_t> addresses = {chunk + 0x50, chunk + 0x58, chunk + 0x80};
  std::vector<HeapBlock> blocks(addresses.size());
  CHECK(heap.find_blocks(addresses, blocks));
  CHECK(blocks[0].is_used());
  CHECK(blocks[0].begin == chunk + 16);
  CHECK(blocks[1].is_freed());
  CHECK(blocks[2].begin == chunk + 0x90);  // behind a freed block, which keeps its size there
}

TEST_CASE("a damaged header") {
  const Memory target({{0x290, true}, {0x18, true}});
  MemoryCache cache(target);
  GlibcHeap heap(target, cache);
  REQUIRE(heap.is_found());
  const std::vector<uint64_t> addresses = {Memory::base + 0x400};
  std::vector<HeapBlock> blocks(1);
  CHECK_FALSE(heap.find_blocks(addresses, blocks));
  CHECK(blocks[0].begin == 0);
  CHECK(blocks[0].state == HeapBlock::State::Unknown);
}

TEST_CASE("a heap of another allocator") {
  const Memory target({{0x100, true}});
  MemoryCache cache(target);
  CHECK_FALSE(GlibcHeap(target, cache).is_found());
}
