// Blocks that Asio keeps for the next coroutine or operation of a thread in io_context::run(): for
// malloc they are in use. (asio/detail/thread_info_base.hpp and call_stack.hpp of Asio 1.14 to 1.28
// and Boost 1.74 to 1.81.)
//
//   stack of the thread: .. scheduler*, thread_info* ..   (call_stack::context)
//                           thread_info: up to 10 blocks
//
// Asio writes the size of a kept block, in units of 4 bytes, into its first byte. In a frame this is
// a byte of an address, so that most kept frames are no frames any more: those that still are have
// this byte by chance.
#pragma once

#include <cstdint>
#include <vector>

#include "frames/memory_cache.h"
#include "target/target.h"

namespace skein {

// The addresses of the blocks (ascending). Those of threads whose stack pointer is not known are
// missing. O(bytes of stacks in use).
std::vector<uint64_t> find_recycled(const Target& target, MemoryCache& memory);

}  // namespace skein
