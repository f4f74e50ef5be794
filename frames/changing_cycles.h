// A cycle is no deadlock if its coroutines change: the process goes on while its memory is read,
// and they were seen at different times. Nor is it one if a thread runs one of them: coroutines
// that resume each other directly leave the same words in their frames each time.
//
//   remove_changing_cycles(found, waiters, target, program,
//                          {.closers = objects.cycle_closers(), .guessed = objects.guessed()});
#pragma once

#include <cstdint>
#include <span>

#include "frames/coroutine_program.h"
#include "frames/suspended_coroutines.h"
#include "frames/waiters.h"
#include "target/target.h"

namespace skein {

struct CycleDoubts {
  std::span<const uint32_t> closers = {};  // coroutines whose `awaits` has closed a cycle
  std::span<const uint32_t> guessed = {};  // those whose `awaits` is a guess
  bool goes_on = false;                    // the process: it is no core
};

// Compares the frames of each cycle with what they were, and with each other: that each has the
// address of the next one. A process that creates the same coroutines again and again has them at
// the same addresses, so those of one that goes on are read several times. Where a cycle has
// changed or is a guess, holders of its locks and those `awaits` are removed.
//
// Of a process that goes on, the coroutines that await each other are marked (may_run) unless, for
// one of these readings, all threads stood still and none was in a function of one of them.
// O(coroutines), and if there is a cycle in a process that goes on, 12 ms and five times the stacks
// of its threads, of at most 1000.
void remove_changing_cycles(SuspendedCoroutines& found, const Waiters& waiters,
                            const Target& target, const CoroutineProgram& program,
                            const CycleDoubts& doubts);

}  // namespace skein
