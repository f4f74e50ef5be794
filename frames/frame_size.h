// How large the frames of a coroutine are, from the code that resumes them and that which creates
// them.
#pragma once

#include <cstdint>

#include "frames/resume_point.h"

namespace skein {

struct FrameSize {
  uint64_t exact = 0;  // bytes; 0: unknown
  uint64_t least = 0;  // bytes
};

// Up to the last part of a frame that `code`, which resumes the coroutine, writes or reads, or
// whose address it takes. O(bytes), a few times.
uint64_t least_size(const Code& code);

// The number of bytes that a function that creates the frame, Code::creates, passes to the one that
// returns it, such as operator new. 0: unknown, as for operator new that is inlined. The same.
uint64_t size_in_creation(const Code& code);

}  // namespace skein
