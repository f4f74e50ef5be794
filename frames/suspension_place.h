// The line at which a coroutine waits, from the number of its suspension point: the code that
// stores this number in the frame belongs to the co_await.
//
// g++ gives that code the line of the statement, or of the end of a block. The call of
// await_ready() before it, and that of await_suspend() behind it, have the line of the co_await
// itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "frames/coroutine_functions.h"
#include "symbol/functions.h"
#include "symbol/lines.h"

namespace skein {

// Code of a function, of a file for x86-64.
struct Code {
  uint64_t address = 0;
  std::span<const uint8_t> bytes = {};
};

// An instruction.
struct Store {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The first that stores `point` at `offset` of a frame, or nothing.
std::optional<Store> find_store(const Code& code, CoroutineFunction::Compiler compiler,
                                uint64_t offset, uint32_t point);

// Nothing: unknown. O(bytes of the function), and the first time the debug information of its unit.
std::optional<Lines::Place> suspension_place(const Code& code, CoroutineFunction::Compiler compiler,
                                             uint64_t offset, uint32_t point,
                                             const Functions& functions, const Lines& lines);

}  // namespace skein
