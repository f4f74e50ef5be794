// The id of a task or resource: unique in a trace.
#pragma once

#include <cstdint>

namespace skein {

using TaskId = uint64_t;
inline constexpr TaskId no_task = UINT64_MAX;  // no task, the event loop; mirage-profile's -1

}  // namespace skein
