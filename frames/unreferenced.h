// Coroutines that nothing can resume, as far as memory shows: no register, no stack and no variable
// leads to an address in their frames, directly or by blocks of the heap that are in use and other
// frames. An event on the heap that only the coroutine itself has leads nowhere.
//
//   const std::vector<bool> lost = find_unreferenced(target, coroutines, heaps, {});
//
// The kernel may have an address all the same (epoll, io_uring, timers), and a program may keep one
// in another form. If it is not known what the kernel has, programs with such calls are left out; and
// two usual forms, with flags in the upper bits, count as addresses.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "frames/heap.h"
#include "frames/suspended_coroutines.h"
#include "target/target.h"

namespace skein {

// A part of a stack in which nothing is kept: [begin, end), of functions of the C library that wait.
// What they have saved for their callers is in `registers`.
struct UnusedStack {
  static constexpr uint64_t red_zone = 128;  // bytes below the stack pointer (System V ABI)
  uint64_t begin = 0;
  uint64_t end = 0;
  std::vector<uint64_t> registers = {};
};

// "/lib/x86_64-linux-gnu/libc.so.6"; not the dynamic linker, which runs between a call and its
// function.
bool is_c_library(std::string_view file);

// By coroutine (by frame). Empty: it cannot be known, because not all registers are known, or the
// heap is damaged. Only of frames that are certain and not elided. Reads all writable memory once, 1 s
// for each GB, of less than 4 GiB up to six times, and eight times as slowly once more if there is
// any such coroutine. A longer chain of blocks than that counts as a reference.
std::vector<bool> find_unreferenced(const Target& target,
                                    std::span<const SuspendedCoroutine> coroutines,
                                    std::span<const std::unique_ptr<Heap>> heaps,
                                    std::span<const UnusedStack> unused = {});

}  // namespace skein
