#include "frames/adjacent_addresses.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "frames/instruction.h"
#include "frames/register_flow.h"

namespace skein {

namespace {

using Map = Instruction::Map;
using Flow = Instruction::Flow;
constexpr uint8_t rsp = 4;
constexpr uint8_t rbp = 5;

// The functions that a register may have the address of; 0: none.
struct Functions {
  uint64_t one = 0;
  uint64_t other = 0;
  bool is_any() const { return one != 0; }
};

class Reader {
 public:
  Reader(const Code& code, const std::function<bool(uint64_t)>& is_function, bool has_numbers)
      : code_(code), is_function_(is_function), has_numbers_(has_numbers) {}

  std::vector<AdjacentAddresses> run() {
    constexpr size_t most_followed = 1 << 16;
    if (code_.bytes.size() <= most_followed) follow();
    for (size_t at = 0; at < code_.bytes.size();) {
      const auto one = decode_one(code_.bytes.subspan(at), code_.address + at);
      if (!one) break;
      read(*one);
      at += one->size;
    }
    return std::move(found_);
  }

 private:
  struct Stored {
    Instruction::Memory memory = {};
    std::array<uint32_t, 2> bases = {};  // the values of its registers
    Functions value = {};
  };

  // An address may be loaded long before it is stored, as before a loop.
  void follow() {
    RegisterFlow(code_).visit([this](const Instruction& one, const RegisterFlow::State& before) {
      if (!one.memory || !is_move(one, 0x89)) return;
      const RegisterFlow::Value& value = before.registers[one.reg];
      const auto address = static_cast<uint64_t>(value.offset);
      if (value.base == RegisterFlow::Base::Number && is_function_(address))
        followed_[one.address] = address;
    });
  }

  static bool is_move(const Instruction& one, uint8_t opcode) {
    return one.map == Map::OneByte && one.opcode == opcode && one.is_64_bits && !one.has_segment;
  }
  static bool is_stack(const Instruction::Memory& memory) {
    return (memory.base == rsp || memory.base == rbp) && memory.index == Instruction::none;
  }
  Functions function_at(uint64_t address) const {
    return is_function_(address) ? Functions{.one = address} : Functions{};
  }
  Functions number(const Instruction& one) const {
    return has_numbers_ ? function_at(static_cast<uint64_t>(one.immediate)) : Functions{};
  }

  void read(const Instruction& one) {
    if (one.memory && is_move(one, 0x89)) {
      const auto followed = followed_.find(one.address);
      store(*one.memory, registers_[one.reg].is_any() || followed == followed_.end()
                             ? registers_[one.reg]
                             : Functions{.one = followed->second});
    }
    if (one.memory && is_move(one, 0xC7)) store(*one.memory, number(one));
    std::optional<std::pair<uint8_t, Functions>> result;
    if (is_move(one, 0x8D) && one.memory->base == Instruction::rip)
      result = {one.reg, function_at(one.end() + static_cast<uint64_t>(one.memory->displacement))};
    if (is_move(one, 0x8B) && one.memory && is_stack(*one.memory)) {
      const auto saved = saved_.find({one.memory->base, one.memory->displacement});
      if (saved != saved_.end()) result = {one.reg, saved->second};
    }
    if (!one.memory && is_move(one, 0x89)) result = {one.rm, registers_[one.reg]};
    if (!one.memory && is_move(one, 0x8B)) result = {one.reg, registers_[one.rm]};
    // B8+r id: mov r32, imm32.
    if (one.map == Map::OneByte && (one.opcode & 0xF8) == 0xB8) result = {one.rm, number(one)};
    if (!one.memory && is_move(one, 0xC7)) result = {one.rm, number(one)};
    // 0F 40+cc /r: cmovcc r64, r/m64.
    if (one.map == Map::TwoBytes && (one.opcode & 0xF0) == 0x40 && one.is_64_bits && !one.memory)
      result = {one.reg,
                Functions{.one = registers_[one.reg].one, .other = registers_[one.rm].one}};
    std::optional<std::pair<uint8_t, uint32_t>> copied;
    if (!one.memory && is_move(one, 0x89)) copied = {one.rm, values_[one.reg]};
    if (!one.memory && is_move(one, 0x8B)) copied = {one.reg, values_[one.rm]};
    for (uint8_t i = 0; i < registers_.size(); i++)
      if (may_change(one, i)) {
        registers_[i] = {};
        values_[i] = next_value_++;
      }
    if (result) registers_[result->first] = result->second;
    if (copied) values_[copied->first] = copied->second;
  }

  // Registers have the same value if one is a copy of the other.
  uint32_t value_of(uint8_t number) const {
    return number < values_.size() ? values_[number] : number;
  }

  void store(const Instruction::Memory& memory, const Functions& value) {
    if (is_stack(memory)) saved_[{memory.base, memory.displacement}] = value;
    if (!value.is_any()) return;
    const Stored stored{
        .memory = memory, .bases = {value_of(memory.base), value_of(memory.index)}, .value = value};
    for (const Stored& other : stored_) {
      const int64_t distance = memory.displacement - other.memory.displacement;
      if (other.memory.scale != memory.scale || other.bases != stored.bases) continue;
      if (distance == 8) add(other, stored);
      if (distance == -8) add(stored, other);
    }
    constexpr size_t most = 8;
    if (stored_.size() == most) stored_.pop_front();
    stored_.push_back(stored);
  }

  void add(const Stored& low, const Stored& high) {
    for (const uint64_t first : {low.value.one, low.value.other})
      for (const uint64_t second : {high.value.one, high.value.other})
        if (first != 0 && second != 0 && first != second)
          found_.push_back({.first = first,
                            .second = second,
                            .is_at_begin = low.memory.displacement == 0 && !is_stack(low.memory) &&
                                           low.memory.base != Instruction::rip});
  }

  const Code& code_;
  const std::function<bool(uint64_t)>& is_function_;
  bool has_numbers_;
  std::array<Functions, 16> registers_ = {};
  // Numbers of values, each of which a register got in another way than as a copy. Those up to 15
  // are of the beginning, and what has no value has its own number.
  std::array<uint32_t, 16> values_ = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  uint32_t next_value_ = 32;
  std::map<std::pair<uint8_t, int64_t>, Functions> saved_ = {};  // on the stack
  std::map<uint64_t, uint64_t> followed_ = {};  // by the instruction that stores it
  std::deque<Stored> stored_ = {};              // the last ones
  std::vector<AdjacentAddresses> found_ = {};
};

}  // namespace

std::vector<AdjacentAddresses> adjacent_addresses(const Code& code,
                                                  const std::function<bool(uint64_t)>& is_function,
                                                  bool has_numbers) {
  return Reader(code, is_function, has_numbers).run();
}

}  // namespace skein
