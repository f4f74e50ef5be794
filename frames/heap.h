// The blocks that an allocator has handed out, from its data in the memory of a target: which are
// in use, and which were freed.
//
//   HeapBlocks blocks(addresses.size());
//   for (const auto& heap : find_heaps(target, memory, addresses)) heap->find_blocks(addresses,
//   blocks);
//
// Nothing is trusted: an allocator whose data has another layout than that of the versions that
// each implementation names, or contradicts itself, judges nothing. In a process that runs, what
// was freed and allocated again while it was read may be judged wrongly; what was in use from the
// first read to the last is never Freed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "frames/memory_cache.h"
#include "target/target.h"

namespace skein {

struct HeapBlock {
  enum class State : uint8_t {
    Outside,  // of the memory that the allocators have for blocks
    Unknown,  // inside, but the allocator's data says nothing, or contradicts itself
    Used,
    Freed,
  };
  uint64_t begin = 0;  // what malloc returned; 0: unknown
  uint64_t end = 0;
  State state = State::Outside;
  // Used, but the allocator writes nothing into a block that is freed or reused: its contents may
  // be those of an earlier use.
  bool keeps_remains = false;

  bool is_used() const { return state == State::Used; }
  bool is_freed() const { return state == State::Freed; }
};

class Heap {
 public:
  virtual ~Heap() = default;

  virtual std::string_view allocator() const = 0;  // "jemalloc"

  // Sets blocks[i] for each of the addresses (ascending) in this heap's memory, and leaves the
  // others. Returns false if a part of the heap is damaged, or changed while it was read.
  virtual bool find_blocks(std::span<const uint64_t> addresses, std::span<HeapBlock> blocks) = 0;
};

// A part of a target's memory: [begin, end).
struct HeapRegion {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
};

}  // namespace skein
