// The functions of a program that compilers made of its C++20 coroutines: what resumes one, what
// destroys one. A frame begins with their addresses (the ABI that g++, clang and MSVC share).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbol/functions.h"

namespace skein {

struct CoroutineFunction {
  enum class Compiler : uint8_t { Gcc, Clang };
  Compiler compiler = Compiler::Gcc;
  uint64_t resume = 0;  // g++: NAME.actor
  uint64_t end = 0;     // of the code of `resume`
  uint64_t destroy = 0;  // 0: none
  // The part of `resume` that g++ has moved away, as only exceptions lead there: NAME.actor.cold.
  uint64_t rest = 0;  // 0: none
  uint64_t rest_end = 0;
  uint64_t cleanup = 0;   // clang: in frames inside that of a caller, instead of destroy; 0: none
  bool is_guess = false;  // its functions may be something else
  std::string name = {};  // mangled; empty: unknown
};

// Pairs of symbols: g++'s NAME.actor and NAME.destroy; clang's NAME.resume, NAME.destroy and
// NAME.cleanup, of which it leaves out one if no frame needs it. Ordered by `resume`. O(functions).
std::vector<CoroutineFunction> find_coroutine_functions(const Functions& functions);

// A demangled name with lambdas as in a compiler's signature, which short_function_name() of base
// expects: "f(int)::{lambda(int)#1}::operator()(int)" -> "f(int)::<lambda(int)>::operator()(int)".
std::string with_lambdas_of_signatures(std::string name);

}  // namespace skein
