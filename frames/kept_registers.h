// Registers that a function leaves as they are, though it may change them by the calling
// convention: within a file, compilers know it of their callees (g++'s -fipa-ra).
#pragma once

#include <cstdint>

#include "frames/resume_point.h"

namespace skein {

// Whether a call of `function` leaves the register `number` as it is on every path through its
// code, which `code.file` has, and through that of its callees. False: unknown, as of a function in
// another file. O(instructions), at most some thousands.
bool keeps_register(const Code& code, uint64_t function, uint8_t number);

}  // namespace skein
