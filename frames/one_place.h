// Where clang has the number of the suspension point in frames of a coroutine that waits at one
// place: nothing reads it, so that only stores show it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frames/resume_index.h"
#include "frames/resume_point.h"

namespace skein {

// From clang 17 on, if the coroutine may end by an exception: where code that resumes or creates it
// marks it as ended, it stores the last number right behind a null pointer at the frame's
// beginning. `least`: behind the promise, bytes of which the final awaiter may store there.
// Nothing: it has no such store, or several places may be meant. O(bytes), a few times.
std::optional<ResumeIndex> index_at_end(const Code& code, uint64_t least);

// An instruction that stores the byte 0 in the frame.
struct ZeroStore {
  uint64_t address = 0;
  uint64_t offset = 0;  // in the frame, bytes
};
// All of code that resumes or creates a coroutine, also by the registers by which it stores the
// address of the function that resumes it. The same.
std::vector<ZeroStore> zero_stores(const Code& code);

}  // namespace skein
