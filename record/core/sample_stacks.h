// The call stacks of samples, as a tree in the definitions stream: a node is a frame and its
// caller, and the innermost node of a stack is its number. Stacks share the nodes of their callers,
// so that a sample of a known stack is one event of 5 to 8 bytes.
//
//   const uint32_t stack = stack_of(stacks, frames, count);
//   e.one(format::k_sample, stack);
//
// Lookups take no lock, and about 3 ns a frame. A new node is added under the lock of the
// definitions, and defined before it can be found: an event never refers to an undefined stack.
// Nothing here allocates, so a signal handler may call it.
#pragma once
#include <stdint.h>

#include "record/core/names.h"

namespace skein::record {

struct SampleFrame {
  uint64_t address;
  uint32_t caller;  // number of a node; 0: outermost
  uint32_t number;  // 0: free
};

struct SampleStacks {
  static constexpr uint32_t kSlots = 1 << 17;
  static constexpr uint32_t kMost = kSlots / 4 * 3;  // frames, so that searches end soon

  Names* names;  // the definitions of the trace that the numbers belong to
  uint32_t used;
  SampleFrame frames[kSlots];  // by hash
};  // 2 MB of address space; the host maps zeroed memory, of which only used pages are resident

// Returns the number of a stack, whose innermost frame is the first. Without room for a frame it
// returns 0, no stack (counted). Adding frames calls protect().
uint32_t stack_of(SampleStacks& stacks, const uint64_t* addresses, uint32_t count);

}  // namespace skein::record
