// Timers of the program's own: coroutines whose awaiter has a time point that is still to come.
// What resumes them is the program's event loop, which has no form that is known.
//
//   find_deadlines(found, waiters, program, {.steady = now});
//   if (found.coroutines[0].object != SuspendedCoroutine::none) print("waits for a timer");
#pragma once

#include "frames/clocks.h"
#include "frames/coroutine_program.h"
#include "frames/suspended_coroutines.h"
#include "frames/waiters.h"

namespace skein {

// Adds a timer to SuspendedCoroutines::objects for each coroutine that waits for nothing else that
// is known, if the compiler has described the awaiter of its point (g++), and this has a single
// std::chrono::time_point, which is in the future. Others, such as the time at which a wait began,
// say nothing. Precondition: `awaited` of the coroutines is set. O(coroutines).
void find_deadlines(SuspendedCoroutines& found, const Waiters& waiters, CoroutineProgram& program,
                    const Clocks& now);

}  // namespace skein
