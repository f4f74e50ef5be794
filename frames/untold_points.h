// Suspension points at which a coroutine gives its handle to nothing: `co_await` of an awaiter that
// leaves no code. What it has awaited before may still have the handle.
#pragma once

#include <cstdint>

#include "frames/coroutine_functions.h"
#include "frames/resume_point.h"

namespace skein {

// Whether the code that resumes a coroutine, behind each instruction that stores this number at
// `offset` of the frame, and before it up to a jump or call, goes on to its end without a call,
// without an address in the frame that it stores, and without any pointer that it stores outside of
// the frame. False: unknown, too, and if no instruction stores the number. O(bytes), a few times.
bool is_told_to_none(const Code& code, CoroutineFunction::Compiler compiler, uint64_t offset,
                     uint32_t point);

}  // namespace skein
