// The line at which a coroutine waits, from the number of its suspension point: the code that
// stores this number in the frame belongs to the co_await.
//
// g++ gives that code the line of the statement, or of the end of a block. The call of
// await_ready() before it, and that of await_resume() where the coroutine goes on, have the line of
// the co_await itself; that of await_suspend() behind it usually has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frames/coroutine_functions.h"
#include "frames/resume_point.h"
#include "symbol/functions.h"
#include "symbol/lines.h"

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

// The register that most of them have for the frame. Nothing: none has one.
std::optional<uint8_t> frame_register(const std::vector<Store>& stores);

struct Suspension {
  std::optional<Lines::Place> place = {};
  std::string awaiter = {};  // the type whose await_suspend() is called: "coro::event::awaiter"
  bool is_initial = false;   // the coroutine has not started
};

// `lines` may be null: then no place is found, and no type whose function was inlined. `inside`: the
// linkage name of the function that the place is in, if it was inlined into `code`. O(bytes of the
// function), and the first time the debug information of its unit.
Suspension find_suspension(const Code& code, CoroutineFunction::Compiler compiler, uint64_t offset,
                           uint32_t point, const Functions& functions, const Lines* lines,
                           std::string_view inside = "");

// "N4coro5event7awaiter13await_suspendE..", mangled -> "coro::event::awaiter": without the
// arguments of templates. Empty: it is no member of a type.
std::string type_of_member(std::string_view function);

}  // namespace skein
