// Addresses of functions that code stores side by side: what creates a frame of a coroutine begins
// it with the addresses of two.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "frames/resume_point.h"

namespace skein {

struct AdjacentAddresses {
  uint64_t first = 0;  // at the lower address
  uint64_t second = 0;
  bool is_at_begin =
      false;  // of what a register has the address of; else inside of it, or on the stack
};

// Of a whole function. `is_function` is given what may be an address; `has_numbers`: the program is
// at a fixed address, so that any number may be one. Of a choice between two functions (cmov),
// both. Code is read from its beginning to its end, whatever it jumps over. O(bytes).
std::vector<AdjacentAddresses> adjacent_addresses(const Code& code,
                                                  const std::function<bool(uint64_t)>& is_function,
                                                  bool has_numbers);

}  // namespace skein
