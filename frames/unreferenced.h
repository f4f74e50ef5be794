// Coroutines that nothing can resume, as far as memory shows: no register, no stack, no variable
// and no block of the heap that is in use has an address in their frames, but other such frames.
//
//   const std::vector<bool> lost = find_unreferenced(target, coroutines, heaps);
//
// The kernel may have an address all the same (epoll, io_uring, timers), and a program may keep one
// in another form. Programs that use such calls of the kernel are left out, and two usual forms,
// with flags in the upper bits, count as addresses.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "frames/heap.h"
#include "frames/suspended_coroutines.h"
#include "target/target.h"

namespace skein {

// By coroutine (by frame). Empty: it cannot be known, because not all registers are known, or the
// heap is damaged. Only of frames that are certain and not elided. Reads all writable memory: 1 s
// for each GB, and up to eight times that if there is any such coroutine.
std::vector<bool> find_unreferenced(const Target& target,
                                    std::span<const SuspendedCoroutine> coroutines,
                                    std::span<const std::unique_ptr<Heap>> heaps);

}  // namespace skein
