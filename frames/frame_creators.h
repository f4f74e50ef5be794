// The functions that create frames of a coroutine: those whose code has the address of the function
// that resumes it. clang may put the function that the coroutine is called by into all its callers,
// and leave it out then.
//
//   for (const auto& [resume, range] : find_creators(elf, file, functions, resumes))
//     disassemble(range.begin, range.end);
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "symbol/code_ranges.h"
#include "symbol/functions.h"
#include "target/elf.h"

namespace skein {

// By the address in `resumes`. Of a file for x86-64; addresses are those in the file, as linked.
// O(bytes of code).
std::multimap<uint64_t, CodeRange> find_creators(const ElfHeader& elf, std::span<const uint8_t> file,
                                                 const Functions& functions,
                                                 const std::set<uint64_t>& resumes);

}  // namespace skein
