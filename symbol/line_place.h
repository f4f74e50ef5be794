// What the debug information says of an instruction: see lines.h.
#pragma once

#include <cstdint>
#include <string>

namespace skein {

struct LinePlace {
  std::string file = {};  // as the compiler names it, with its folder
  uint32_t line = 0;
  uint32_t column = 0;  // 0: unknown; not compared
  bool operator==(const LinePlace& other) const { return file == other.file && line == other.line; }
};

// A function that an instruction is in: the one that was compiled to it, or one that was inlined
// there.
struct InlinedFrame {
  std::string function = {};  // mangled, or its name alone; empty: the function that was compiled
  LinePlace place = {};       // line 0: unknown
};

// The code of a call that was inlined.
struct InlinedCall {
  uint64_t address = 0;
  uint64_t end = 0;           // of this part of its code
  std::string function = {};  // as the linker knows it: mangled; empty: unknown
};

}  // namespace skein
