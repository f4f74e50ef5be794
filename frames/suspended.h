// The coroutines of a process or a core without a recorder, found in its memory: which are
// suspended, and which waits for which.
//
//   Result<SuspendedCoroutines> found = find_suspended(target);
//   for (const SuspendedCoroutine& c : found->coroutines) print(found->functions[c.function].name);
//
// A frame is a pair of addresses of functions, `resume` and `destroy`, in memory that the program
// writes. A frame in memory that glibc has freed is left out. The target is not stopped: a
// coroutine that ran during the search may be missing, or be shown where it was before.
#pragma once

#include <functional>

#include "base/result.h"
#include "frames/call_stack.h"
#include "frames/clocks.h"
#include "frames/suspended_coroutines.h"
#include "target/target.h"

namespace skein {

// Fails if no file of the target has a coroutine, unless that is accepted. Takes 1 s for each GB of writable memory, and as
// much for each million frames; memory: 100 bytes a frame, and the tables of symbols.
// Files are read before and after the memory, except for variables.
struct SearchOptions {
  // Called before and after the memory is read, the latter with the coroutines without their places.
  std::function<void()> before = {};
  std::function<void(const SuspendedCoroutines&)> after = {};
  // Called between the two with the call stack of each thread whose registers are known, on x86-64.
  std::function<void(const TargetThread&, const CallStacks::Stack&)> on_stack = {};
  bool accepts_none = false;  // a target without functions of coroutines: it may have threads
  bool variables = false;  // of the first 10,000 coroutines
  bool references = false;  // sets SuspendedCoroutine::is_unreferenced; reads all memory once more
  // If the program may have written more bytes, evenly spread parts are read, so many in all. Then
  // all coroutines are uncertain, and many missing.
  uint64_t most_bytes = UINT64_MAX;
  Clocks now = {};  // to recognise timers of the program's own, see deadlines.h
  // Called before the first part and after each: the bytes that were read, those that will be, and
  // all that the program may have written.
  std::function<void(uint64_t done, uint64_t in_all, uint64_t memory)> progress = {};
};
Result<SuspendedCoroutines> find_suspended(const Target& target, const SearchOptions& options = {});

}  // namespace skein
