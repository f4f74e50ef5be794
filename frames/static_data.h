// The variables of a target's program and libraries (.data and .bss), in which allocators have the
// roots of their data.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "frames/heap.h"
#include "target/target.h"

namespace skein {

// What is mapped from a file and written, with the memory that follows it without a gap (.bss).
// Those of the sizes [least, 64 MiB].
std::vector<HeapRegion> static_data(const Target& target, uint64_t least);

struct Word {
  uint64_t address = 0;
  uint64_t value = 0;
};

// The words of a region that are not 0, by address; at most two million. Pages that were never
// written are not read.
std::vector<Word> nonzero_words(const Target& target, const HeapRegion& region);
// 0: there is none at this address. O(log words).
uint64_t value_at(std::span<const Word> words, uint64_t address);

// How many of the words are before an address. O(log words).
size_t entries_before(std::span<const Word> words, uint64_t address);

// A radix tree of two levels, by address, whose root is an array of pointers to leaves in static
// data.
struct RadixRoot {
  uint64_t address = 0;          // of the array
  std::vector<Word> words = {};  // of the variables around it
};

// Finds the root of `count` words in which the word `address >> shift` points to a leaf that
// `accepts` for one of the addresses (ascending). The test is called for a few thousand wrong
// leaves.
std::optional<RadixRoot> find_radix_root(
    const Target& target, std::span<const uint64_t> addresses, unsigned shift, uint64_t count,
    const std::function<bool(uint64_t leaf, uint64_t address)>& accepts);

}  // namespace skein
