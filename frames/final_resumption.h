// Which word of its frame a coroutine resumes when it ends: where its promise has its continuation.
//
//   for (const uint32_t offset : resumed_at_end(code)) print(offset);
//
// From code for x86-64. Before the final suspension, g++ and clang store 0 as the address of the
// function that resumes the frame. Behind that, the code takes a handle from the frame and jumps to
// the function at its beginning.
#pragma once

#include <cstdint>
#include <vector>

#include "frames/resume_point.h"

namespace skein {

// `code` resumes a coroutine. Bytes from the frame, ascending. Empty: none, or unknown, as in code
// without optimisation, where other functions do it. O(bytes), a few times.
std::vector<uint32_t> resumed_at_end(const Code& code);

}  // namespace skein
