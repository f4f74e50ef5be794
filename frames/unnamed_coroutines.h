// The functions of coroutines in a file without symbols, by the shape of their code.
//
// g++: the function that destroys a frame sets the lowest bit of a 16-bit number in it and goes on
// in the one that resumes it. clang: code stores the addresses of both side by side, at the
// beginning of what a register points to, and they have no other parameter, use what is behind the
// two addresses, and pass it on to what frees it, or write the states of a coroutine there. Others
// are guesses (CoroutineFunction::is_guess): code takes the addresses of both one after the other,
// and both follow each other in the file. These are only believed of clang's programs, and of a
// frame that has a block of the heap of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frames/coroutine_functions.h"
#include "target/elf.h"

namespace skein {

// Of a file for x86-64; by `resume`. Their names are empty. O(bytes of code).
std::vector<CoroutineFunction> find_unnamed_coroutines(const ElfHeader& elf,
                                                       std::span<const uint8_t> file);

}  // namespace skein
