// Instructions of x86-64, as far as it takes to follow the flow of control and addresses: lengths,
// operands, jumps.
//
//   for (const Instruction& one : decode(code.bytes, code.address)) print(one.address);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace skein {

struct Instruction {
  static constexpr uint8_t none = 16;  // no register
  static constexpr uint8_t rip = 17;
  enum class Map : uint8_t { OneByte, TwoBytes, Other };  // Other: also all of VEX and EVEX
  enum class Flow : uint8_t {
    Next,
    Call,
    Branch,  // to `target`, or on
    Jump,    // to `target`, or, if that is unknown, to the address in its operand
    Stop,    // a return, or an instruction that fails
  };
  struct Memory {
    uint8_t base = none;  // a register, `rip` or `none`
    uint8_t index = none;
    uint8_t scale = 1;
    int64_t displacement = 0;
  };

  uint64_t address = 0;
  uint8_t size = 0;  // bytes
  Map map = Map::OneByte;
  uint8_t opcode = 0;
  bool is_vector = false;   // VEX or EVEX
  bool is_16_bits = false;  // prefix 66
  bool is_64_bits = false;  // REX.W
  bool has_rex = false;
  bool has_segment = false;  // fs or gs: the address is another one
  Flow flow = Flow::Next;
  uint8_t reg = none;  // of ModRM; also the digit of opcodes that are extended by it
  uint8_t rm = none;   // of ModRM, if that is no memory; also the register in an opcode
  std::optional<Memory> memory = {};
  int64_t immediate = 0;
  std::optional<uint64_t> target = {};  // of a call or jump

  uint64_t end() const { return address + size; }
  uint8_t digit() const { return reg & 7; }
};

// Nothing: unknown, or cut off.
std::optional<Instruction> decode_one(std::span<const uint8_t> code, uint64_t address);
// One after the other. Up to the first that is unknown.
std::vector<Instruction> decode(std::span<const uint8_t> code, uint64_t address);

// The bytes that it writes or reads at its memory operand; 0: none, or unknown.
uint8_t access_size(const Instruction& instruction);
// Whether that operand is only written.
bool is_store(const Instruction& instruction);
// False: a register keeps its value, except for calls, which leave rbx, rbp, rsp, r12 to r15.
bool may_change(const Instruction& instruction, uint8_t number);

}  // namespace skein
