// Whose part of which thread's stack an address is in.
//
//   StackPlaces places(target);
//   places.add(thread.id, stack);
//   if (const auto place = places.find(frame); place && !place->is_dead) print(place->pc);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "frames/call_stack.h"
#include "target/target.h"

namespace skein {

class StackPlaces {
 public:
  struct Place {
    uint64_t thread = 0;
    bool is_dead = false;  // below the stack pointer: functions that have returned left it
    uint64_t pc = 0;       // where the function goes on that it belongs to
    uint64_t sp = 0;       // of this function
    bool is_innermost = false;
  };

  explicit StackPlaces(const Target& target) : target_(target) {}

  // Precondition: `stack` is of this thread, and has a call.
  void add(uint64_t thread, const CallStacks::Stack& stack);
  // Nothing: it is in no stack, or in a part of one that is not known. O(log calls).
  std::optional<Place> find(uint64_t address) const;

 private:
  struct Part {
    uint64_t end = 0;
    Place place = {};
  };
  const Target& target_;
  std::map<uint64_t, Part> parts_ = {};  // by where they begin
};

}  // namespace skein
