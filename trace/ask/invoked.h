// Handlers that run inside others: Asio invokes the completion handler of an operation through its
// strand or executor, and only the operation has a location and a socket.
#pragma once

#include <cstdint>

#include "trace/ask/waits.h"

namespace skein {

// The operation or handler that created the live task, invoked it, and has not returned. no_index:
// none.
TaskIndex invoker(const Subject& subject, TaskIndex task);

// Where the task was created; if that is unknown, its invoker.
uint32_t location_of_invoked(const Subject& subject, TaskIndex task);

}  // namespace skein
