// What the debug information says of an instruction: see lines.h.
#pragma once

#include <cstdint>
#include <string>

namespace skein {

struct LinePlace {
  std::string file = {};  // as the compiler names it, with its folder
  uint32_t line = 0;
  bool operator==(const LinePlace&) const = default;
};

// The code of a call that was inlined.
struct InlinedCall {
  uint64_t address = 0;
  uint64_t end = 0;           // of this part of its code
  std::string function = {};  // as the linker knows it: mangled; empty: unknown
};

}  // namespace skein
