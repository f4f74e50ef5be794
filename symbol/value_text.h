// The value of a variable in a target's memory, as text: "5", "\"text\"", "{fd = 7, ..}".
//
//   print(value_text(memory, type, address));
//
// Printable ASCII, 200 bytes at most, with objects in objects up to a depth of 2. Objects of the
// standard library are shown by what they contain: "size 100 {1, 2, ..}". Nothing in the debug
// information or the memory is trusted.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>

#include "symbol/frame_location.h"
#include "symbol/standard_value.h"

namespace skein {

// `names`: of what std::function and std::any hold.
std::string value_text(const FrameMemory& memory, Dwarf_Die type, uint64_t address,
                       const CodeNames& names = {});

}  // namespace skein
