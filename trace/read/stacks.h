// Call stacks by index: the value of a Sample is such an index.
//
//   const uint32_t stack = trace.stacks.add(77);  // the format's number of the stack
//   trace.stacks.set_frames(stack, frames);
//   for (const StackFrame& frame : trace.stacks.frames(stack)) ...
//
// A format may define a stack after the first sample that refers to it, or never: it has no frames
// until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/read/strings.h"

namespace skein {

struct StackFrame {
  uint64_t address = 0;   // 0: unknown
  StringId function = 0;  // 0: not resolved
};

class Stacks {
 public:
  // Adds a stack and returns its index. The caller keeps track of the numbers it has added.
  uint32_t add(uint64_t number);

  // Sets the frames, innermost first. At most once per stack.
  void set_frames(uint32_t stack, std::span<const StackFrame> frames);

  // Returns the frames; empty if the stack was never defined. Valid until the next set_frames.
  std::span<const StackFrame> frames(uint64_t stack) const;

  // The frames of all stacks, to set their functions.
  std::span<StackFrame> all_frames() { return frames_; }
  std::span<const StackFrame> all_frames() const { return frames_; }

  // Returns the format's number of the stack; `stack` itself if there is no such stack.
  uint64_t number(uint64_t stack) const {
    return stack < stacks_.size() ? stacks_[static_cast<size_t>(stack)].number : stack;
  }

  size_t size() const { return stacks_.size(); }

 private:
  struct Stack {
    uint64_t number;
    uint32_t first = 0;  // index into frames_
    uint32_t count = 0;
  };

  std::vector<Stack> stacks_;
  std::vector<StackFrame> frames_;
};

}  // namespace skein
