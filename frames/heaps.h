// The heaps of a target: those of glibc, jemalloc, tcmalloc and mimalloc, of which a program may
// have several.
#pragma once

#include "frames/heap.h"

namespace skein {

// `target` and `memory` must live longer than the result. Heaps of other allocators than glibc's
// are recognised by what they have for some of the addresses (ascending), and by their data only:
// symbols are not needed. Takes 5 ms for a program with 2 MiB of variables.
std::vector<std::unique_ptr<Heap>> find_heaps(const Target& target, MemoryCache& memory,
                                              std::span<const uint64_t> addresses);

}  // namespace skein
