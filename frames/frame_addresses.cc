#include "frames/frame_addresses.h"

#include <algorithm>
#include <array>
#include <limits>

#include "frames/register_flow.h"

namespace skein {

namespace {

using Base = RegisterFlow::Base;
using Value = RegisterFlow::Value;

// Instructions number rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi; DWARF differs (System V ABI for
// AMD64, figure 3.36).
constexpr std::array<uint8_t, 16> dwarf_numbers = {0, 2, 1,  3,  7,  6,  4,  5,
                                                   8, 9, 10, 11, 12, 13, 14, 15};
// Those that functions leave as they are come first.
constexpr std::array<uint8_t, 15> order = {3, 5, 12, 13, 14, 15, 0, 1, 2, 6, 7, 8, 9, 10, 11};

constexpr std::array<uint8_t, 9> changed_by_calls = {0, 1, 2, 6, 7, 8, 9, 10, 11};

bool is_small(int64_t number) {
  return number >= std::numeric_limits<int32_t>::min() &&
         number <= std::numeric_limits<int32_t>::max();
}

// Of several frames, that of the innermost call; nothing if a value is no frame's address.
std::optional<int64_t> distance(Value value, const std::vector<Value>& frames) {
  for (const Value& frame : frames)
    if (value.base == frame.base && value.origin == frame.origin && value.is_known() &&
        is_small(value.offset) && is_small(frame.offset))
      return value.offset - frame.offset;
  return {};
}

std::optional<FrameAddress> place_in(const RegisterFlow::State& state,
                                     const std::vector<Value>& frames) {
  for (const uint8_t number : order)
    if (const auto plus = distance(state.registers[number], frames))
      return FrameAddress{.place = FrameAddress::Place::Register,
                          .number = dwarf_numbers[number],
                          .plus = static_cast<int32_t>(*plus)};
  for (const auto& [at, value] : state.stack) {
    const auto plus = distance(value, frames);
    if (!plus || at.first != Base::Stack || !is_small(at.second)) continue;
    return FrameAddress{.place = FrameAddress::Place::Stack,
                        .at = static_cast<int32_t>(at.second),
                        .plus = static_cast<int32_t>(*plus)};
  }
  return {};
}

}  // namespace

PromiseUse promise_use(const Code& code) {
  constexpr int64_t promise = 16, words = 32;
  constexpr std::array<uint8_t, 3> arguments = {7, 6, 2};  // rdi, rsi, rdx
  constexpr uint8_t rdi = 7;
  PromiseUse use;
  const RegisterFlow flow(code);
  // g++ keeps the handle of the coroutine in its frame.
  std::set<int64_t> handles;
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    const Value address = before.address(one);
    if (one.map == Instruction::Map::OneByte && one.opcode == 0x89 && one.is_64_bits &&
        before.registers[one.reg] == Value{Base::Parameter, 0} && address.base == Base::Parameter)
      handles.insert(address.offset);
  });
  bool is_handle = false;  // in rdi
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    const bool is_first = is_handle || before.registers[rdi] == Value{Base::Parameter, 0};
    if (is_first && one.target &&
        (one.flow == Instruction::Flow::Call || one.flow == Instruction::Flow::Jump) &&
        *one.target - code.address >= code.bytes.size())
      use.given_to.insert(*one.target);
    const Value from = before.address(one);
    if (one.map == Instruction::Map::OneByte && one.opcode == 0x8B && one.is_64_bits &&
        one.reg == rdi && from.base == Base::Parameter && handles.contains(from.offset))
      is_handle = true;
    else if (one.flow != Instruction::Flow::Next || may_change(one, rdi))
      is_handle = false;
    if (one.flow == Instruction::Flow::Call || one.flow == Instruction::Flow::Jump)
      for (const uint8_t number : arguments)
        if (before.registers[number] == Value{Base::Parameter, promise}) use.is_passed_on = true;
    const Value address = before.address(one);
    const int64_t size = access_size(one);
    if (is_store(one) || size < 8) return;
    // A pointer from memory may be the handle of the coroutine itself, as g++ keeps it in the
    // frame.
    const bool is_unknown =
        !address.is_known() && one.memory->index == Instruction::none && !one.has_segment;
    if (address.base != Base::Parameter && !is_unknown) return;
    const int64_t begin = is_unknown ? one.memory->displacement : address.offset;
    for (int64_t at = begin; at < begin + size; at += 8)
      if (at >= promise && at % 8 == 0 && at / 8 < words) {
        use.read |= uint32_t{1} << at / 8;
        if (!is_unknown) use.surely_read |= uint32_t{1} << at / 8;
      }
  });
  return use;
}

FrameAddresses::FrameAddresses(const Code& code) {
  const RegisterFlow flow(code, RegisterFlow::Registers::All);
  std::vector<Value> frames = frames_of(code, flow);
  // One on the stack of the function that creates it is that function's.
  std::erase_if(frames, [](const Value& frame) {
    return frame.base != Base::Parameter && frame.base != Base::Result;
  });
  if (frames.size() != 1) return;
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    const auto place = place_in(before, frames);
    if (!place) return;
    entries_.push_back({one.address, *place});
    if (one.flow != Instruction::Flow::Call) return;
    RegisterFlow::State during = before;
    for (const uint8_t number : changed_by_calls) during.registers[number] = {};
    if (const auto kept = place_in(during, frames)) calls_.push_back({one.end(), *kept});
  });
  for (std::vector<Entry>* entries : {&entries_, &calls_})
    std::sort(entries->begin(), entries->end(),
              [](const Entry& a, const Entry& b) { return a.address < b.address; });
}

const FrameAddresses::Entry* FrameAddresses::find(const std::vector<Entry>& entries,
                                                  uint64_t address) {
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), address,
                       [](const Entry& entry, uint64_t at) { return entry.address < at; });
  return found == entries.end() || found->address != address ? nullptr : &*found;
}

std::optional<FrameAddress> FrameAddresses::at(uint64_t pc, bool is_return) const {
  const Entry* found = is_return ? find(calls_, pc) : nullptr;
  if (found == nullptr) found = find(entries_, pc);
  return found == nullptr ? std::nullopt : std::optional(found->place);
}

}  // namespace skein
