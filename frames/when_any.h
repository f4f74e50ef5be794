// libcoro's when_any: it waits for an event in its own frame, which the first operand that ends sets.
// A controller that nothing awaits keeps the operands, and waits for all of them.
//
//   when_any -> event <- operand, operand (when_all) -> controller
#pragma once

#include "frames/suspended_coroutines.h"
#include "frames/waiters.h"

namespace skein {

// Makes the controller a coroutine that when_any has joined (SuspendedCoroutine::joined_by), and the
// event an object of the kind WhenAll, of the type `libcoro_when_any`. A controller of which an
// operand has ended is left out: its when_any is gone, and the event may be that of another one.
// O(coroutines, and words of the library's frames).
void connect_when_any(SuspendedCoroutines& found, const Waiters& waiters);

}  // namespace skein
