#include "frames/asio_recycler.h"

#include <algorithm>

#include "frames/asio_objects.h"

namespace skein {

namespace {

// Adds the blocks of a thread_info. What follows them is no block, or not of a frame.
void add_blocks(MemoryCache& memory, uint64_t thread_info, std::vector<uint64_t>& blocks) {
  constexpr uint64_t most = 10;
  for (uint64_t i = 0; i < most; i++) {
    const uint64_t block = memory.word(thread_info + i * 8);
    uint8_t size = 0;
    if (block == 0) continue;
    if (block % 16 != 0 || !memory.read(block, &size, 1)) return;
    if (size != 0) blocks.push_back(block);
  }
}

}  // namespace

std::vector<uint64_t> find_recycled(const Target& target, MemoryCache& memory) {
  std::vector<uint64_t> blocks;
  AsioObjects objects(target, memory);
  for (const TargetThread& thread : target.threads()) {
    const auto sp = thread.registers.get(Registers::sp_of(target.architecture()));
    const Mapping* stack = sp ? find_mapping(target.mappings(), *sp) : nullptr;
    if (stack == nullptr) continue;
    constexpr uint64_t most = uint64_t{64} << 20;
    const uint64_t begin = *sp / 8 * 8;
    const uint64_t end = std::min(stack->end, begin + most);
    for (uint64_t at = begin; at + 16 <= end; at += 8) {
      const uint64_t thread_info = memory.word(at + 8);
      if (thread_info < begin || thread_info >= end || thread_info % 8 != 0) continue;
      if (objects.is_scheduler(memory.word(at))) add_blocks(memory, thread_info, blocks);
    }
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace skein
