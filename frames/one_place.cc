#include "frames/one_place.h"

#include <algorithm>
#include <set>

#include "frames/register_flow.h"

namespace skein {

namespace {

using Base = RegisterFlow::Base;
using Map = Instruction::Map;
constexpr uint64_t header = 16;
constexpr uint64_t largest = 1 << 28;

// Where in one of the frames an address is; nothing: in none.
std::optional<uint64_t> offset_in(const std::vector<RegisterFlow::Value>& frames,
                                  const RegisterFlow::Value& address) {
  for (const RegisterFlow::Value& frame : frames) {
    const uint64_t offset =
        static_cast<uint64_t>(address.offset) - static_cast<uint64_t>(frame.offset);
    if (address.base == frame.base && address.origin == frame.origin && offset < largest)
      return offset;
  }
  return {};
}

// The 8 bytes that it stores in memory; nothing: it does not, or they are unknown.
std::optional<int64_t> stored_number(const Instruction& one, const RegisterFlow::State& before) {
  if (one.map != Map::OneByte || !one.is_64_bits || !is_store(one)) return {};
  if (one.opcode == 0xC7) return one.immediate;
  if (one.opcode != 0x89 || before.registers[one.reg].base != Base::Number) return {};
  return before.registers[one.reg].offset;
}

// C6 /0 ib: mov r/m8, imm8. C7 /0 iw, id: mov r/m, imm. 0: it is another instruction.
uint64_t immediate_size(const Instruction& one) {
  if (one.map != Map::OneByte || !is_store(one) || one.has_segment || one.is_64_bits) return 0;
  if (one.opcode == 0xC6) return 1;
  return one.opcode != 0xC7 ? 0 : one.is_16_bits ? 2 : 4;
}

bool is_byte_store(const Instruction& one) { return immediate_size(one) == 1; }

}  // namespace

std::optional<ResumeIndex> index_at_end(const Code& code, uint64_t least) {
  const RegisterFlow flow(code);
  const std::vector<RegisterFlow::Value> frames = frames_of(code, flow);
  std::set<uint64_t> offsets;
  std::optional<uint64_t> behind_null;  // the next instruction
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    const auto offset = offset_in(frames, before.address(one));
    if (one.address == behind_null && offset)
      for (uint64_t i = 0; i < immediate_size(one); i++)
        if ((one.immediate >> (8 * i) & 0xFF) != 0 && *offset + i >= least)
          offsets.insert(*offset + i);
    if (offset == 0 && stored_number(one, before) == 0) behind_null = one.end();
  });
  if (offsets.size() != 1 || *offsets.begin() < header) return {};
  return ResumeIndex{.offset = *offsets.begin(), .size = 1};
}

std::vector<ZeroStore> zero_stores(const Code& code) {
  const RegisterFlow flow(code);
  const std::vector<RegisterFlow::Value> frames = frames_of(code, flow);
  // `mov %rsi,(%rax,%rcx,1)` of the address by which the coroutine is resumed, in an unknown frame.
  std::optional<Instruction::Memory> element;
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    if (code.creates != 0 && one.memory && !before.address(one).is_known() &&
        stored_number(one, before) == static_cast<int64_t>(code.creates))
      element = one.memory;
  });
  std::vector<ZeroStore> found;
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    if (!is_byte_store(one) || one.immediate != 0) return;
    auto offset = offset_in(frames, before.address(one));
    if (const auto& at = one.memory; element && !offset && at->base == element->base &&
                                     at->index == element->index && at->scale == element->scale)
      offset =
          static_cast<uint64_t>(at->displacement) - static_cast<uint64_t>(element->displacement);
    if (offset && *offset >= header && *offset < largest)
      found.push_back({.address = one.address, .offset = *offset});
  });
  return found;
}

}  // namespace skein
