// The call stack of the code that a signal has interrupted, by frame pointers.
//
// Code without frame pointers uses their register for anything, so nothing is trusted: memory is
// read by a system call that fails instead of faulting, and a caller counts only if a call
// instruction ends where it would go on. So callers may be missing, but none is invented: build
// with -fno-omit-frame-pointer to have them all. The innermost frame is always right.
//
// Rejected: tables of .eh_frame, which a handler cannot read without locks of the dynamic linker;
// searching the stack for what looks like return addresses, which finds those of calls that are
// over; a copy of the stack for readers, 8 kB a sample.
#pragma once
#include <stdint.h>

namespace skein::record {

inline constexpr uint32_t kMostFrames = 64;

// Writes the addresses, innermost first: the interrupted instruction, then a byte of each call.
// Returns their number, at least 1. `context`: of the signal handler. May be called there: it takes
// no lock, and 4 kB of stack. Two system calls or more, 0.5 us each.
uint32_t walk_stack(const void* context, uint64_t (&addresses)[kMostFrames]);

}  // namespace skein::record
