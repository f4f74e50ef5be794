// The coroutines that one waits for together, from its side.
#pragma once

#include "frames/suspended_coroutines.h"

namespace skein {

// Sets WaitObject::joined of all objects from SuspendedCoroutine::joined_by. O(coroutines).
void set_joined(SuspendedCoroutines& found);

}  // namespace skein
