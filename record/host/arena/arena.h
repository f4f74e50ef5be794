// Divides an arena into regions, each a file of a trace.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace skein::record {

// How the memory of an arena is used. Sizes in bytes, multiples of a page.
struct ArenaPlan {
  uint32_t rows = 0;  // of the live task table
  size_t names = 0;   // the definitions stream: one chunk
  size_t chunk = 0;   // of the ring
  uint32_t chunks = 0;
  size_t nested_chunk = 0;  // of the interrupt handlers' ring, which has kNestedChunks
};
inline constexpr uint32_t kNestedChunks = 4;

// The parts of an arena of `size` bytes with `tasks` rows (0: an eighth of the memory). All 0 if it
// is too small.
ArenaPlan plan_arena(size_t size, uint32_t tasks);

}  // namespace skein::record
