// Where a target may have written: what a search of its memory has to read.
//
//   const std::vector<MemoryPart> all = written_parts(target);
//   for (const MemoryPart& part : sample_of(all, 1 << 30)) search(part);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "target/target.h"

namespace skein {

struct MemoryPart {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t limit = 0;  // the end of the mapping
  uint64_t size() const { return end - begin; }
};

// Ascending; 4 MiB each at most, up to a multiple of that: the kernel may give 2 MiB to a page that
// is read, which must not look written in the part beside it. Each begins with a page that was
// written: of a thread's stack there are some KiB. 10 us each.
std::vector<MemoryPart> written_parts(const Target& target);

uint64_t size_of(std::span<const MemoryPart> parts);

// Some of them, about `most` bytes. The smallest mappings are whole, such as a heap beside huge
// tables, and have at most half of the bytes; of the others there are evenly spread parts.
std::vector<MemoryPart> sample_of(std::span<const MemoryPart> parts, uint64_t most);

}  // namespace skein
