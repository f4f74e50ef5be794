// Small reads of a target's memory: a system call for each would take most of the time.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "target/target.h"

namespace skein {

// Keeps 16 MiB. What it returns may be as old as the cache, and two words may be of two instants.
class MemoryCache {
 public:
  explicit MemoryCache(const Target& target) : target_(target), blocks_(count) {}

  // False: some of it cannot be read.
  bool read(uint64_t address, void* to, size_t size) {
    auto* out = static_cast<uint8_t*>(to);
    while (size != 0) {
      const Block& block = block_of(address);
      const size_t offset = address % bytes;
      if (offset >= block.size) return false;
      const size_t part = std::min(size, block.size - offset);
      std::memcpy(out, block.data->data() + offset, part);
      out += part;
      address += part;
      size -= part;
    }
    return true;
  }
  // What is read from now on is not older than this call.
  void forget() {
    for (Block& block : blocks_) block.number = UINT64_MAX;
  }
  // 0 if it cannot be read.
  uint64_t word(uint64_t address) {
    uint64_t value = 0;
    return read(address, &value, sizeof value) ? value : 0;
  }

 private:
  static constexpr size_t bytes = 4096;  // a page: all of it is mapped, or nothing
  static constexpr size_t count = 4096;
  struct Block {
    uint64_t number = UINT64_MAX;
    size_t size = 0;
    std::unique_ptr<std::array<uint8_t, bytes>> data = {};
  };

  const Block& block_of(uint64_t address) {
    const uint64_t number = address / bytes;
    Block& block = blocks_[number % count];
    if (block.number == number) return block;
    if (block.data == nullptr) block.data = std::make_unique<std::array<uint8_t, bytes>>();
    block.number = number;
    block.size = target_.read(number * bytes, *block.data);
    return block;
  }

  const Target& target_;
  std::vector<Block> blocks_;
};

}  // namespace skein
