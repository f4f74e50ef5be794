#include "trace/read/stacks.h"

namespace skein {

uint32_t Stacks::add(uint64_t number) {
  stacks_.push_back({.number = number});
  return static_cast<uint32_t>(stacks_.size() - 1);
}

void Stacks::set_frames(uint32_t stack, std::span<const StackFrame> frames) {
  stacks_[stack].first = static_cast<uint32_t>(frames_.size());
  stacks_[stack].count = static_cast<uint32_t>(frames.size());
  frames_.insert(frames_.end(), frames.begin(), frames.end());
}

std::span<const StackFrame> Stacks::frames(uint64_t stack) const {
  if (stack >= stacks_.size()) return {};
  const Stack& found = stacks_[static_cast<size_t>(stack)];
  return std::span(frames_).subspan(found.first, found.count);
}

}  // namespace skein
