// The inputs of fuzz/heaps.cc: a process of which only a few words are not 0, and addresses.
//
//   u8 mappings; each: u64 begin, u32 pages, u8: 1 if it is of a file
//   u8 addresses; each: u64
//   runs of words until the end: u64 address, u8 words, the words
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "frames/heaps.h"
#include "frames/sparse_target.h"

namespace skein {

struct HeapInput {
  struct Mapped {
    uint64_t begin = 0;
    uint32_t pages = 0;
    uint8_t has_file = 0;
  };
  struct Run {
    uint64_t address = 0;
    std::vector<uint64_t> words = {};
  };
  std::vector<Mapped> mappings = {};
  std::vector<uint64_t> addresses = {};
  std::vector<Run> runs = {};

  static HeapInput read(std::span<const uint8_t> bytes) {
    HeapInput input;
    const auto take = [&]<typename T>(T& value) {
      const size_t size = std::min(sizeof value, bytes.size());
      std::memcpy(&value, bytes.data(), size);
      bytes = bytes.subspan(size);
    };
    uint8_t count = 0;
    take(count);
    for (uint8_t i = 0; i < count && !bytes.empty(); i++) {
      Mapped& mapped = input.mappings.emplace_back();
      take(mapped.begin);
      take(mapped.pages);
      take(mapped.has_file);
    }
    count = 0;
    take(count);
    for (uint8_t i = 0; i < count && !bytes.empty(); i++) take(input.addresses.emplace_back());
    while (!bytes.empty()) {
      Run& run = input.runs.emplace_back();
      take(run.address);
      count = 0;
      take(count);
      for (uint8_t i = 0; i < count && !bytes.empty(); i++) take(run.words.emplace_back());
    }
    return input;
  }

  std::vector<uint8_t> write() const {
    std::vector<uint8_t> bytes;
    const auto put = [&](const auto& value) {
      const auto* const from = reinterpret_cast<const uint8_t*>(&value);  // NOLINT
      bytes.insert(bytes.end(), from, from + sizeof value);
    };
    put(static_cast<uint8_t>(mappings.size()));
    for (const Mapped& mapped : mappings) {
      put(mapped.begin);
      put(mapped.pages);
      put(mapped.has_file);
    }
    put(static_cast<uint8_t>(addresses.size()));
    for (const uint64_t address : addresses) put(address);
    for (const Run& run : runs) {
      put(run.address);
      put(static_cast<uint8_t>(run.words.size()));
      for (const uint64_t word : run.words) put(word);
    }
    return bytes;
  }

  SparseTarget target() const {
    SparseTarget made;
    for (const Mapped& mapped : mappings)
      made.map(mapped.begin, mapped.begin + uint64_t{mapped.pages} * 4096,
               mapped.has_file == 1 ? "/program" : "");
    for (const Run& run : runs)
      made.set(run.address, std::span(reinterpret_cast<const uint8_t*>(run.words.data()),  // NOLINT
                                      run.words.size() * 8));
    return made;
  }

  // What the heaps of `target` have for the addresses.
  std::vector<HeapBlock> blocks(const Target& target) const {
    std::vector<uint64_t> sorted = addresses;
    std::sort(sorted.begin(), sorted.end());
    MemoryCache memory(target);
    std::vector<HeapBlock> found(sorted.size());
    for (const auto& heap : find_heaps(target, memory, sorted)) heap->find_blocks(sorted, found);
    return found;
  }
};

}  // namespace skein
