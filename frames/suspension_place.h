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

#include "frames/coroutine_functions.h"
#include "frames/index_stores.h"
#include "frames/resume_point.h"
#include "symbol/functions.h"
#include "symbol/lines.h"

namespace skein {

struct Suspension {
  std::optional<Lines::Place> place = {};
  std::string awaiter = {};  // the type whose await_suspend() is called: "coro::event::awaiter"
  bool is_initial = false;   // the coroutine has not started
  bool is_yield = false;     // a co_yield of an awaiter without code: std::suspend_always, usually
};

// `lines` may be null: then no place is found, and no type whose function was inlined. `inside`: the
// linkage name of the function that the place is in, if it was inlined into `code`. O(bytes of the
// function), and the first time the debug information of its unit.
Suspension find_suspension(const Code& code, CoroutineFunction::Compiler compiler, uint64_t offset,
                           uint32_t point, const Functions& functions, const Lines* lines,
                           std::string_view inside = "");

// The lines from which the function calls this member of a class, also where the call is inlined.
std::vector<LinePlace> places_of_calls(const Code& code, const Functions& functions,
                                       const Lines& lines, const std::string& type,
                                       std::string_view member);

// Whether a symbol is of a member of this name, and does not just have the name in it, as a
// template whose parameter is of the type `decltype(of.await_ready())`: what is around that may be
// a namespace. True also if the symbol cannot be read.
bool is_member(std::string_view function, std::string_view member);

// "N4coro5event7awaiter13await_suspendE..", mangled -> "coro::event::awaiter": without the
// arguments of templates. Empty: it is no member of a type.
std::string type_of_member(std::string_view function);

}  // namespace skein
