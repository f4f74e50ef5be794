// The name of a frame of a sampled stack.
#pragma once

#include <string>

#include "trace/read/trace.h"

namespace skein {

// "serve", without namespaces' arguments and parameters; of an unknown function its address.
std::string frame_name(const Trace& trace, const StackFrame& frame);

}  // namespace skein
