// The functions of the stacks in a trace's samples: the recorder stores only addresses.
#pragma once

#include "trace/read/trace.h"

namespace skein::cli {

// Sets the functions of frames, from the files that the program had mapped when its trace began, or
// their debug files, if they are still there with the same build ids. Without elfutils it does
// nothing. O(symbols of these files), only if the trace has stacks.
void add_stack_functions(Trace& trace);

}  // namespace skein::cli
