// The kinds of tasks and resources that a reader adds to a trace.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/read/trace.h"

namespace skein {

// Returns the index of the kind with this name in Trace::kinds; adds it if it is new. O(kinds).
uint64_t kind_index(Trace& trace, std::string_view name);

}  // namespace skein
