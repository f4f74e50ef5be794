// Whether a function will use a coroutine's frame that the compiler has put into the function's own
// part of the stack (clang, "elided": the coroutine does not outlive a call of the function). clang
// leaves no mark when such a coroutine is destroyed.
#pragma once

#include <cstdint>
#include <optional>

#include "frames/coroutine_functions.h"
#include "frames/resume_index.h"
#include "frames/resume_point.h"

namespace skein {

// The addresses are those of the file that the code is in, except for `frame` and `sp`.
struct ElidedFrame {
  uint64_t pc = 0;     // where the function goes on: behind a call, or the next instruction
  uint64_t sp = 0;     // at `pc`
  uint64_t frame = 0;  // not before `sp`
  CoroutineFunction coroutine = {};
  std::optional<ResumeIndex> index = {};
  bool is_guess = false;  // the functions may be something else, as those of a std::function
};

// True: the function has created this coroutine on every path to `pc`, and on one from there
// resumes it, destroys it or reads its state without creating it again. False: it has left the
// coroutine, or nothing shows that it has not. O(bytes of the function).
bool is_used_later(const Code& function, const ElidedFrame& elided);

}  // namespace skein
