#include "frames/parameter_use.h"

#include <set>
#include <vector>

#include "frames/control_flow.h"
#include "frames/instruction.h"
#include "frames/register_flow.h"

namespace skein {

namespace {

using Map = Instruction::Map;
using Flow = Instruction::Flow;
using Base = RegisterFlow::Base;
constexpr uint8_t rcx = 1;
constexpr uint8_t rsp = 4;
constexpr uint8_t rbp = 5;
constexpr uint8_t rsi = 6;
constexpr uint8_t rdi = 7;
constexpr int64_t header = 16;  // two addresses

constexpr uint16_t bit(uint8_t number) {
  return number < 16 ? static_cast<uint16_t>(1U << number) : uint16_t{0};
}

// The general registers whose values it reads, as far as it takes for parameters: what `push` saves
// is not read.
uint16_t registers_read(const Instruction& one) {
  uint16_t read = one.memory ? bit(one.memory->base) | bit(one.memory->index) : 0;
  const uint8_t op = one.opcode;
  const uint16_t reg = bit(one.reg);
  const uint16_t rm = bit(one.rm);
  if (one.map == Map::OneByte) {
    if (op < 0x40 && (op & 7) < 4) {
      const bool clears = (op & 0x38) == 0x30 || (op & 0x38) == 0x28 || (op & 0x38) == 0x18;
      return clears && one.rm == one.reg ? read : read | reg | rm;
    }
    if (op >= 0x84 && op <= 0x87) return read | reg | rm;
    // What is stored elsewhere than on the stack may have no value, as a variable that is not set.
    const bool is_on_stack = one.memory && (one.memory->base == rsp || one.memory->base == rbp);
    if (op == 0x88 || op == 0x89) return !one.memory || is_on_stack ? read | reg : read;
    if (op == 0x8A || op == 0x8B || op == 0x63 || op == 0x69 || op == 0x6B) return read | rm;
    if (op >= 0x80 && op <= 0x83) return read | rm;
    if (op == 0xD2 || op == 0xD3) return read | rm | bit(rcx);
    if (op == 0xC0 || op == 0xC1 || op == 0xD0 || op == 0xD1) return read | rm;
    if (op == 0xF6 || op == 0xF7 || op == 0xFE || op == 0xFF) return read | rm;
    return read;
  }
  if (one.map != Map::TwoBytes) return read;
  if (op == 0xB6 || op == 0xB7 || op == 0xBE || op == 0xBF || op == 0x6E || op == 0x2A)
    return read | rm;
  if ((op & 0xF0) == 0x40 || op == 0xAF || op == 0xA3 || op == 0xAB) return read | reg | rm;
  return read;
}

// Whether a register is read before it is written, on any path up to a call.
bool reads_more(const Code& code) {
  constexpr uint16_t more = bit(rsi) | bit(2) | bit(1) | bit(8) | bit(9);  // and rdx, rcx, r8, r9
  const ControlFlow flow(code);
  const auto all = flow.instructions();
  if (all.empty()) return false;
  struct Path {
    size_t at = 0;
    uint16_t left = more;  // those that the caller has written
  };
  std::set<std::pair<size_t, uint16_t>> seen;
  std::vector<Path> work = {{}};
  constexpr size_t most = 4096;  // instructions
  while (!work.empty() && seen.size() < most) {
    Path path = work.back();
    work.pop_back();
    if (!seen.emplace(path.at, path.left).second) continue;
    const Instruction& one = all[path.at];
    if ((registers_read(one) & path.left) != 0) return true;
    if (one.flow == Flow::Call) continue;
    for (uint8_t number = 0; number < 16; number++)
      if (may_change(one, number)) path.left &= static_cast<uint16_t>(~bit(number));
    if (path.left == 0) continue;
    for (const size_t next : flow.successors(path.at)) work.push_back({next, path.left});
  }
  return false;
}

}  // namespace

ParameterUse parameter_use(const Code& code) {
  constexpr int64_t most = 200;
  ParameterUse use{.has_more = reads_more(code)};
  if (use.has_more) return use;
  const uint64_t end = code.address + code.bytes.size();
  RegisterFlow(code).visit([&](const Instruction& one, const RegisterFlow::State& before) {
    const RegisterFlow::Value address = before.address(one);
    const bool leaves = one.flow == Flow::Call ||
                        (one.flow == Flow::Jump &&
                         (!one.target || *one.target < code.address || *one.target >= end));
    for (const uint8_t number : {rdi, rsi})
      if (const RegisterFlow::Value& passed = before.registers[number];
          leaves && passed.base == Base::Parameter && passed.offset == 0)
        use.is_passed = true;
    if (address.base != Base::Parameter || address.offset < 0) return;
    const bool is_behind = address.offset >= header;
    use.is_used |= is_behind && access_size(one) != 0;
    if (!is_store(one) || one.map != Map::OneByte) return;
    const bool is_zero = (one.opcode == 0xC7 && one.immediate == 0) ||
                         (one.opcode == 0x89 && before.registers[one.reg].base == Base::Number &&
                          before.registers[one.reg].offset == 0);
    use.clears_first |= address.offset == 0 && one.is_64_bits && is_zero;
    use.stores_number |=
        is_behind && one.opcode == 0xC6 && one.immediate >= 0 && one.immediate < most;
  });
  return use;
}

}  // namespace skein
