// The value of a DWARF expression in call frame information (DWARF 5, 2.5.1): linkers write them
// for PLTs, the C library for the code that ends a signal handler, and g++ for functions that align
// their stack.
//
//   const auto cfa = evaluate(expression, registers, {}, memory);
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "symbol/unwind_registers.h"

namespace skein {

// `first` is on the stack at the beginning: the CFA, unless it is what the expression computes.
// Nothing: the expression is damaged, has an unknown operation, needs a register or memory that is
// not known, or runs for more than 1000 steps. Does not allocate.
std::optional<uint64_t> evaluate(std::span<const uint8_t> expression,
                                 const UnwindRegisters& registers, std::optional<uint64_t> first,
                                 const ReadWord& memory);

}  // namespace skein
