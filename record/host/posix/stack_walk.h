// The call stack of the code that a signal has interrupted, by the tables of frame_tables.h, and by
// frame pointers in code that has no table.
//
// Code without frame pointers uses their register for anything, and a table may be of a module that
// has been closed, so nothing is trusted: memory is read by a system call that fails instead of
// faulting, and a caller counts only if a call instruction ends where it would go on, or a signal
// has interrupted it. So callers may be missing, but none is invented. The innermost frame is
// always right.
//
// Rejected: searching the stack for what looks like return addresses, which finds those of calls
// that are over; a copy of the stack for readers, 8 kB a sample.
#pragma once
#include <stdint.h>

namespace skein::record {

inline constexpr uint32_t kMostFrames = 64;

// Writes the addresses, innermost first: the interrupted instruction, then a byte of each call.
// Returns their number, at least 1. `context`: of the signal handler. May be called there: it takes
// no lock, and 4 kB of stack. Two system calls or more, 0.5 us each, and 0.2 us for each frame.
uint32_t walk_stack(const void* context, uint64_t (&addresses)[kMostFrames]);

}  // namespace skein::record
