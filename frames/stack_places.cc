#include "frames/stack_places.h"

#include <algorithm>

namespace skein {

// A stack that a program has mapped for several of its fibers is not told from a thread's: what is
// below the pointer counts as dead only next to it.
void StackPlaces::add(uint64_t thread, const CallStacks::Stack& stack) {
  constexpr uint64_t red_zone =
      128;  // System V ABI, 3.2.2: bytes below the pointer that are in use
  constexpr uint64_t most = 16 << 20;  // bytes of a stack
  const uint64_t top = stack.calls.front().begin;
  const Mapping* mapping = find_mapping(target_.mappings(), top);
  if (mapping == nullptr || top < mapping->begin + red_zone) return;
  const uint64_t end = top - red_zone;
  const uint64_t begin = std::max(mapping->begin, end - std::min(end, most));
  parts_[begin] = {end, {.thread = thread, .is_dead = true}};
  for (size_t i = 0; i < stack.calls.size(); i++) {
    const CallStacks::Call& call = stack.calls[i];
    // The red zone is the innermost function's.
    const uint64_t first = i == 0 ? end : call.begin;
    if (call.end <= call.begin) continue;
    parts_[first] = {call.end,
                     {.thread = thread, .pc = call.pc, .sp = call.begin, .is_innermost = i == 0}};
  }
}

std::optional<StackPlaces::Place> StackPlaces::find(uint64_t address) const {
  auto at = parts_.upper_bound(address);
  if (at == parts_.begin()) return {};
  --at;
  return address < at->second.end ? std::optional(at->second.place) : std::nullopt;
}

}  // namespace skein
