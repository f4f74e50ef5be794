// Which frames the words of a target's memory refer to, by the address of a frame or of its
// promise. Of a coroutine that waits, something has a handle; of the remains of one, usually
// nothing that is in use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frames/glibc_heap.h"
#include "frames/memory_cache.h"
#include "target/target.h"

namespace skein {

struct FrameExtent {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Whether anything outside refers to a frame (ascending), directly or by other such frames. Words
// in blocks that glibc has freed do not count, nor those in `ignored` ranges (ascending) and in
// parts of stacks that their threads have left; registers are not looked at. Reads all writable
// memory: 1 s for each GB.
std::vector<bool> find_referred(const Target& target, MemoryCache& memory,
                                std::span<const FrameExtent> frames,
                                std::span<const HeapRegion> heaps,
                                std::span<const FrameExtent> ignored);

}  // namespace skein
