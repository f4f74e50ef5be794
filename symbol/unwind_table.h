// The callers of every instruction of an ELF file: its call frame information, with the work done
// once. A profiler looks up some thousand stacks a second, each with dozens of functions.
//
//   Result<UnwindTable> table = UnwindTable::read(file.bytes(), path);
//   const auto caller = table->caller(registers, address, memory);      // all registers
//   const UnwindRule* rule = table->find(address);                      // the fast way
//
// A table has an entry where the rule changes, and refers to rules, of which few differ:
//
//   pcs_    0 | 1 | 4 | 0x2b | 0x2c | ...    distance from the first function, sorted, 4 bytes each
//   rules_  3 | 5 | 9 |    3 |    0 | ...    number of its rule; 0: no function
//   rule    CFA = rsp or rbp + number; return address and kept registers: at CFA + number
//   parts_  the first entry of each equal part of the addresses, so that a search has few steps
//
// The C library has 46,000 entries and 400 rules: 390 KB. What is not of this form, such as a PLT,
// is "special": the row as it was read, with its expressions.
//
// Addresses are those in the file, as linked. Nothing in the file is trusted. A table does not
// refer to the file.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "symbol/call_frame_info.h"
#include "symbol/unwind_registers.h"

namespace skein {

struct UnwindRule {
  enum class Kind : uint8_t {
    None,     // no function
    FromSp,   // CFA = rsp + cfa
    FromFp,   // CFA = rbp + cfa
    First,    // the first function of a thread: it has no caller
    Special,  // `cfa` is its number
  };
  static constexpr int16_t same = std::numeric_limits<int16_t>::min();  // as in the callee

  Kind kind = Kind::None;
  bool is_signal_frame = false;
  int32_t cfa = 0;
  int16_t return_address = 0;                            // at CFA + this
  std::array<int16_t, kept_registers.size()> kept = {};  // at CFA + this, or `same`
  bool operator==(const UnwindRule&) const = default;
};

class UnwindTable {
 public:
  struct Caller {
    UnwindRegisters registers = {};  // those of the caller, at its call; pc is the return address
    bool is_none = false;            // the callee is the first function of its thread
    // The callee ends a signal handler: the caller was interrupted before this instruction, which
    // need not be behind a call.
    bool is_interrupted = false;
  };

  // Reads .eh_frame, and .debug_frame for functions that are not in it. `debug`: the file with the
  // debug information, if that was stripped. Fails if `elf` is no ELF file of x86-64, or has no
  // such information. O(size of the sections): 40 ms for 5 MB.
  static Result<UnwindTable> read(std::span<const uint8_t> elf, const std::string& path,
                                  std::span<const uint8_t> debug = {});
  // Of sections, of which the earlier take precedence.
  static UnwindTable of(std::span<const CallFrameSection> sections);

  // Null: no function is known to be there. A return address may be behind its function: look up
  // the address before it. O(1) unless functions are distributed unevenly, else O(log entries).
  const UnwindRule* find(uint64_t address) const {
    const uint64_t distance = address - base_;
    if (distance >= end_) return nullptr;
    const auto pc = static_cast<uint32_t>(distance);
    const uint32_t* begin = pcs_.data() + parts_[pc >> part_bits_];
    size_t count = parts_[(pc >> part_bits_) + 1] - parts_[pc >> part_bits_] + 1;
    while (count > 1) {
      const size_t half = count / 2;
      begin = begin[half] <= pc ? begin + half : begin;
      count -= half;
    }
    const UnwindRule& rule = rules_[numbers_[static_cast<size_t>(begin - pcs_.data())]];
    return rule.kind == UnwindRule::Kind::None ? nullptr : &rule;
  }

  // Nothing: there is no rule, it needs a register or memory that is not known, or the return
  // address is not known. `address`: of the instruction, or of the byte before a return address.
  std::optional<Caller> caller(const UnwindRegisters& callee, uint64_t address,
                               const ReadWord& memory) const;
  // The same, of a rule of this table.
  std::optional<Caller> caller(const UnwindRegisters& callee, const UnwindRule& rule,
                               const ReadWord& memory) const;

  size_t entries() const { return pcs_.size(); }
  size_t rules() const { return rules_.size(); }
  size_t functions() const { return functions_; }
  size_t bytes() const;  // of memory

 private:
  friend class UnwindTableBuilder;
  std::optional<Caller> special_caller(const UnwindRegisters& callee, const CallFrameRow& row,
                                       const ReadWord& memory) const;

  uint64_t base_ = 0;                   // of the first function
  uint64_t end_ = 0;                    // of the last one, from base_
  std::vector<uint32_t> pcs_ = {};      // from base_
  std::vector<uint32_t> numbers_ = {};  // of rules
  std::vector<uint32_t> parts_ = {};  // the entry of each part's first address, and the last entry
  unsigned part_bits_ = 0;
  std::vector<UnwindRule> rules_ = {};
  std::vector<CallFrameRow> special_ = {};
  std::vector<uint8_t> expressions_ = {};  // of `special_`
  size_t functions_ = 0;
};

}  // namespace skein
