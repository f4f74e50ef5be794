// Which frames the words of a target's memory refer to, by the address of a frame or of its
// promise. Of a coroutine that waits, something has a handle; of the remains of one, usually
// nothing that is in use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frames/heap.h"
#include "target/target.h"

namespace skein {

struct FrameExtent {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Whether anything outside refers to a frame (ascending), directly or by other such frames. Words
// in blocks that were freed do not count, nor those in `ignored` ranges (ascending) and in
// parts of stacks that their threads have left; registers are not looked at. Reads all writable
// memory: 1 s for each GB.
std::vector<bool> find_referred(const Target& target, std::span<const FrameExtent> frames,
                                std::span<const std::unique_ptr<Heap>> heaps,
                                std::span<const FrameExtent> ignored);

}  // namespace skein
