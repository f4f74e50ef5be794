// What a test that does not end waits for, and what one that crashed was doing.
#pragma once

#include <sys/types.h>

#include <string>

#include "cli/check/test.h"

namespace skein::cli {

// Writes a report to `file`: of the test and each of its descendants, the test first, what `skein
// why` prints, from its trace if it records, else from its memory, and the call stacks of its
// threads. Leaves out shells and programs that run tests, if they only wait for another process.
// Completes the test's trace for `skein why`, if `trace` has one. Returns the most likely place of
// the problem. Stops the processes for a moment (AttachedThreads). Standard output and error of
// this process are the report from then on: for a process that was forked for it.
//
// With `keeps_memory`, what was found in the memory of each is in memory.core beside the trace
// (memory-2.core of the second process), for the commands that read memory.
SourcePlace explain_hang(pid_t test, const std::string& trace, const std::string& file,
                         bool keeps_memory);

// A process whose threads stand still because `signal` is about to end it.
struct Crashing {
  pid_t process = 0;
  pid_t thread = 0;  // that has caused or received the signal
  int signal = 0;
  std::string trace = {};  // its directory, if it records
  std::string report = {};
  bool keeps_memory = false;
};

// The same of this process: the call stacks of its threads, and unless it records, the coroutines
// in its memory. Returns the innermost place of the program on the stack of the thread.
SourcePlace explain_crashing(const Crashing& crash);

// Writes the same to `file`, of the core that the kernel has written of a process. `memory`: where
// its coroutines are kept; empty: they are not. `trace`: its directory, if it recorded.
SourcePlace explain_core(const std::string& core, const std::string& memory,
                         const std::string& trace, const std::string& file);

// Appends to `file` what `skein why` reports about the trace of a process that has just crashed, if
// it recorded one. Completes the trace as explain_hang() does.
void explain_crashed(pid_t process, const std::string& trace, const std::string& file);

// Appends to `file` that the crash could not be caught, because of `error` (errno).
void report_uncaught(const std::string& file, int error);

}  // namespace skein::cli
