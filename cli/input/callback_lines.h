// The lines of callbacks: g++ has none in the text from which the recorder takes a callback's
// function (record/core/callback.h), but the program's debug information has them.
#pragma once

#include "trace/read/trace.h"

namespace skein::cli {

// Sets file and line of the locations that have only a lambda, from the files that the program had
// mapped, if they are still there, with the same build ids. Without elfutils it does nothing.
void add_callback_lines(Trace& trace);

}  // namespace skein::cli
