// The registers of a thread in one of its functions, as far as they are known.
//
// Those of x86-64. AArch64 needs 33 of them, others that are kept, and the return address of an
// innermost function in x30.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace skein {

// By DWARF numbers: 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8 r8 to 15 r15, 16 the
// return address, or rip of the innermost function (System V ABI for x86-64, figure 3.36).
constexpr size_t unwind_registers = 17;
constexpr size_t frame_pointer_register = 6;
constexpr size_t stack_pointer_register = 7;
constexpr size_t return_address_register = 16;
// Functions leave these as they are for their callers (figure 3.4), as well as rsp.
constexpr std::array<uint8_t, 6> kept_registers = {3, 6, 12, 13, 14, 15};
constexpr size_t kept_frame_pointer = 1;  // in the list above

class UnwindRegisters {
 public:
  void set(size_t number, uint64_t value) {
    values_[number] = value;
    known_ |= uint32_t{1} << number;
  }
  std::optional<uint64_t> get(size_t number) const {
    if (number >= unwind_registers || (known_ >> number & 1) == 0) return {};
    return values_[number];
  }
  bool operator==(const UnwindRegisters&) const = default;

 private:
  std::array<uint64_t, unwind_registers> values_ = {};
  uint32_t known_ = 0;  // bit n: register n
};

// Reads a word of the target's memory; nothing: it cannot be read.
using ReadWord = std::function<std::optional<uint64_t>(uint64_t address)>;

}  // namespace skein
