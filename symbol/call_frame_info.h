// Call frame information: for each instruction of a function, how to find the registers of its
// caller. Compilers write it to .eh_frame, which `strip` keeps, or to .debug_frame (LSB 5.0, 10.6;
// DWARF 5, 6.4).
//
//   const CallFrameInfo info = CallFrameInfo::read({.bytes = bytes, .address = address});
//   for (const CallFrameInfo::Function& function : info.functions())
//     info.for_each_row(function, [&](uint64_t begin, uint64_t end, const CallFrameRow& row)
//     {...});
//
// A row's address, the "canonical frame address" (CFA), is the stack pointer before the call; other
// places are relative to it. Addresses are those in the file, as linked. Nothing in the file is
// trusted: a function whose entry is damaged has no rows from there on.
//
// libdw has a reader as well, for one address at a time: 1 us each, and its rules are lists of
// operations. The tables of unwind_table.h need all rows of a file: 10 ns each here.
//
// Of x86-64. For AArch64, besides its registers (unwind_registers.h), the rows must say where
// DW_CFA_AARCH64_negate_ra_state has signed the return address; it is ignored here.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "symbol/unwind_registers.h"

namespace skein {

// Where the caller's value of a register is.
struct RegisterRule {
  enum class Kind : uint8_t {
    Undefined,     // not known
    Same,          // in the register itself
    At,            // in memory at CFA + number
    Value,         // CFA + number
    Register,      // in another register; for the CFA: its value + number
    AtExpression,  // in memory at an expression's value
    Expression     // an expression's value
  };
  Kind kind = Kind::Undefined;
  uint8_t other = 0;   // register
  uint32_t size = 0;   // of the expression
  int32_t number = 0;  // of an expression: its offset in the section
  bool operator==(const RegisterRule&) const = default;
};

struct CallFrameRow {
  RegisterRule cfa = {};  // Register, Expression; Undefined: damaged
  std::array<RegisterRule, unwind_registers> registers = {};
  bool operator==(const CallFrameRow&) const = default;
};

struct CallFrameSection {
  std::span<const uint8_t> bytes = {};
  uint64_t address = 0;  // in memory, as linked
  bool is_debug_frame = false;
};

class CallFrameInfo {
 public:
  // A function, or a part of one.
  struct Function {
    uint64_t begin = 0;
    uint64_t end = 0;           // of its last byte, plus 1; > begin
    uint64_t instructions = 0;  // offset in the section
    uint32_t size = 0;          // of the instructions
    uint32_t common = 0;        // number of its common entry
    // The kernel calls it to leave a signal handler: its caller's next instruction is known
    // exactly.
    bool is_signal_frame = false;
  };
  using UseRow = std::function<void(uint64_t begin, uint64_t end, const CallFrameRow& row)>;

  // The section must stay valid as long as the result. O(size of the section).
  static CallFrameInfo read(const CallFrameSection& section);

  // In the order of the section.
  const std::vector<Function>& functions() const { return functions_; }
  const CallFrameSection& section() const { return section_; }
  // In ascending order, without empty ranges, inside the function. None, if the return address is not
  // in register 16: the file is for another architecture. O(size of the instructions).
  void for_each_row(const Function& function, const UseRow& use) const;

 private:
  struct Common {  // "common information entry"
    uint64_t code_alignment = 1;
    int64_t data_alignment = 1;
    uint8_t encoding = 0;    // of addresses
    bool has_sizes = false;  // of augmentation data in each function
    bool is_signal_frame = false;
    bool has_rows = false;  // `first` is valid
    CallFrameRow first = {};
  };
  class Interpreter;
  bool read_common(std::span<const uint8_t> entry, uint64_t at, Common& to) const;

  CallFrameSection section_ = {};
  std::vector<Function> functions_ = {};
  std::vector<Common> commons_ = {};
};

}  // namespace skein
