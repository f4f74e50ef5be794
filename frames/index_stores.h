// Instructions that store the number of a suspension point in the frame of a coroutine: each
// belongs to a co_await.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frames/coroutine_functions.h"
#include "frames/resume_point.h"

namespace skein {

// An instruction that stores the number of a suspension point.
struct Store {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t point = 0;                 // UINT32_MAX: unknown
  std::optional<uint8_t> frame = {};  // the register with the frame: 3 is rbx. Nothing: the stack's
};

// All at `offset` of a frame, in the order of their addresses. O(bytes).
std::vector<Store> find_stores(const Code& code, CoroutineFunction::Compiler compiler,
                               uint64_t offset);

// Those whose addresses are known to be in the frame on every path: also by registers that have
// another address in it. The frame is the first parameter, or one that the code creates. Slower, a
// few times.
std::vector<Store> follow_stores(const Code& code, CoroutineFunction::Compiler compiler,
                                 uint64_t offset);

// The same, without those of clang's coroutines that were created in the function, if the frame is
// known. Where g++ stores a register that has one of several numbers, each is a store, at the
// instruction from which the register has it.
std::vector<Store> find_own_stores(const Code& code, CoroutineFunction::Compiler compiler,
                                   uint64_t offset);

// Adds those of follow_stores() to those of find_own_stores().
void add_followed_stores(const Code& code, CoroutineFunction::Compiler compiler, uint64_t offset,
                         std::vector<Store>& stores);

// The register that most of them have for the frame. Nothing: none has one.
std::optional<uint8_t> frame_register(const std::vector<Store>& stores);

}  // namespace skein
