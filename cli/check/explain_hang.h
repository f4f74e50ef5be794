// What a test that does not end waits for.
#pragma once

#include <sys/types.h>

#include <string>

#include "cli/check/test.h"

namespace skein::cli {

// Writes a report to `file`: of the test and each of its descendants what `skein why` prints, from
// its trace if it records, else from its memory, and the call stacks of its threads. Completes the
// test's trace for `skein why`, if `trace` has one. Returns the most likely place of the problem.
// Stops the processes for a moment (AttachedThreads). Standard output and error of this process are
// the report from then on: for a process that was forked for it.
//
// With `keeps_memory`, what was found in the memory of each is in memory.core beside the trace
// (memory-2.core of the second process), for the commands that read memory.
SourcePlace explain_hang(pid_t test, const std::string& trace, const std::string& file,
                         bool keeps_memory);

}  // namespace skein::cli
