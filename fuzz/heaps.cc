// Reads the heaps of allocators. A block that was freed must contain the address.
// Seeds: fuzz/make-heaps-corpus.
#include <cstdlib>

#include "fuzz/heap_input.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const HeapInput input = HeapInput::read({data, size});
  const SparseTarget target = input.target();
  std::vector<uint64_t> sorted = input.addresses;
  std::sort(sorted.begin(), sorted.end());
  const std::vector<HeapBlock> blocks = input.blocks(target);
  for (size_t i = 0; i < blocks.size(); i++) {
    const HeapBlock& block = blocks[i];
    if (block.state == HeapBlock::State::Outside || block.state == HeapBlock::State::Unknown)
      continue;
    if (block.begin >= block.end) std::abort();
    // A block of glibc's has a header, and 8 bytes of the next one.
    const bool contains = sorted[i] + 16 >= block.begin && sorted[i] < block.end + 8;
    if (block.is_freed() && !contains) std::abort();
  }
  return 0;
}
