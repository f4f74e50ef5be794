#include "frames/register_flow.h"

#include <algorithm>
#include <set>

namespace skein {

namespace {

using Map = Instruction::Map;
using Flow = Instruction::Flow;
using Value = RegisterFlow::Value;
using State = RegisterFlow::State;
using Base = RegisterFlow::Base;
constexpr uint8_t rax = 0;
constexpr uint8_t rsp = 4;
constexpr uint8_t rbp = 5;
constexpr uint8_t rdi = 7;

// rax, rdx.
bool is_result(uint8_t number) { return number == 0 || number == 2; }

bool is_stack(Value value) { return value.base == Base::Stack || value.base == Base::Aligned; }

Value plus(Value value, int64_t number) {
  if (!value.is_known()) return {};
  value.offset =
      static_cast<int64_t>(static_cast<uint64_t>(value.offset) + static_cast<uint64_t>(number));
  return value;
}

// Keeps what both have. Whether `into` has changed.
bool join(State& into, const State& other) {
  bool has_changed = false;
  for (size_t i = 0; i < into.registers.size(); i++) {
    Value& value = into.registers[i];
    const Value& joined = other.registers[i];
    if (value.base == Base::Unknown || value == joined || joined.base == Base::Undefined) continue;
    value = value.base == Base::Undefined ? joined : Value{};
    has_changed = true;
  }
  for (auto at = into.stack.begin(); at != into.stack.end();) {
    const auto same = other.stack.find(at->first);
    if (same != other.stack.end() && same->second == at->second) {
      ++at;
    } else {
      at = into.stack.erase(at);
      has_changed = true;
    }
  }
  return has_changed;
}

void store(State& state, Value address, uint8_t size, Value value) {
  if (!is_stack(address)) return;
  for (int64_t at = address.offset - 7; at < address.offset + size; at++)
    state.stack.erase({address.base, at});
  if (size == 8 && value.is_known()) state.stack[{address.base, address.offset}] = value;
}

}  // namespace

Value State::address(const Instruction& one) const {
  if (!one.memory || one.has_segment) return {};
  const Instruction::Memory& memory = *one.memory;
  if (memory.index != Instruction::none) return {};
  if (memory.base == Instruction::rip)
    return {Base::Number, static_cast<int64_t>(one.end()) + memory.displacement};
  if (memory.base == Instruction::none) return {Base::Number, memory.displacement};
  return plus(registers[memory.base], memory.displacement);
}

Value State::loaded(const Instruction& one) const {
  const Value at = address(one);
  const auto found = stack.find({at.base, at.offset});
  return is_stack(at) && found != stack.end() ? found->second : Value{};
}

void RegisterFlow::apply(const Instruction& one, State& state) const {
  const uint8_t op = one.opcode;
  const State before = one.map == Map::OneByte && (op == 0x87 || op == 0xC9) ? state : State();
  // What it writes to memory.
  if (one.memory && one.flow == Flow::Next && access_size(one) != 0 &&
      !(one.map == Map::OneByte && op == 0x8B)) {
    Value value;
    if (one.map == Map::OneByte && op == 0x89 && one.is_64_bits) value = state.registers[one.reg];
    if (one.map == Map::OneByte && op == 0xC7 && one.is_64_bits)
      value = {Base::Number, one.immediate};
    const bool only_reads =
        one.map == Map::OneByte && (op & 0xFE) != 0xC6 && !is_store(one) && op != 0x87 &&
        (op < 0x40 ? (op & 2) != 0 || (op & 0x38) == 0x38 : op == 0x63 || op == 0x84 || op == 0x85);
    if (!only_reads) store(state, state.address(one), access_size(one), value);
  }
  // What it leaves in registers.
  std::optional<std::pair<uint8_t, Value>> result;
  if (one.map == Map::OneByte) {
    const auto& registers = state.registers;
    const bool to_register = one.rm < registers.size();
    if (op == 0x89 && to_register) result = {one.rm, one.is_64_bits ? registers[one.reg] : Value{}};
    if (op == 0x8B && one.is_64_bits)
      result = {one.reg, to_register ? registers[one.rm] : state.loaded(one)};
    if (op == 0x8D && one.is_64_bits) result = {one.reg, state.address(one)};
    if (op >= 0xB8 && op <= 0xBF && !one.is_16_bits)
      result = {one.rm,
                {Base::Number,
                 one.is_64_bits ? one.immediate : int64_t{static_cast<uint32_t>(one.immediate)}}};
    if (op == 0xC7 && to_register && !one.is_16_bits)
      result = {one.rm,
                {Base::Number,
                 one.is_64_bits ? one.immediate : int64_t{static_cast<uint32_t>(one.immediate)}}};
    if ((op == 0x31 || op == 0x33) && to_register && one.rm == one.reg && !one.is_16_bits)
      result = {one.rm, {Base::Number, 0}};
    if ((op == 0x81 || op == 0x83) && to_register && one.is_64_bits) {
      const Value old = registers[one.rm];
      if (one.digit() == 0) result = {one.rm, plus(old, one.immediate)};
      if (one.digit() == 5) result = {one.rm, plus(old, -one.immediate)};
      if (one.digit() == 4 && one.rm == rsp) result = {one.rm, Value{Base::Aligned, 0}};
    }
    if (op == 0x05 && one.is_64_bits) result = {uint8_t{0}, plus(registers[0], one.immediate)};
    if (op == 0x2D && one.is_64_bits) result = {uint8_t{0}, plus(registers[0], -one.immediate)};
    if (op >= 0x50 && op <= 0x57) {
      const Value top = plus(registers[rsp], -8);
      store(state, top, 8, registers[one.rm]);
      state.registers[rsp] = top;
      return;
    }
    if (op == 0x68 || op == 0x6A || (op == 0xFF && one.digit() == 6)) {
      state.registers[rsp] = plus(registers[rsp], -8);
      store(state, state.registers[rsp], 8, {});
      return;
    }
    if (op >= 0x58 && op <= 0x5F) {
      const Value top = registers[rsp];
      const auto saved = state.stack.find({top.base, top.offset});
      const Value value = is_stack(top) && saved != state.stack.end() ? saved->second : Value{};
      state.registers[rsp] = plus(top, 8);
      state.registers[one.rm] = value;
      return;
    }
    if (op == 0x87 && to_register) {
      state.registers[one.rm] = before.registers[one.reg];
      state.registers[one.reg] = before.registers[one.rm];
      return;
    }
    if (op == 0xC9) {  // leave
      const Value frame = before.registers[rbp];
      const auto saved = before.stack.find({frame.base, frame.offset});
      state.registers[rsp] = plus(frame, 8);
      state.registers[rbp] =
          is_stack(frame) && saved != before.stack.end() ? saved->second : Value{};
      return;
    }
  }
  const auto kept = one.flow == Flow::Call ? kept_.find(one.address) : kept_.end();
  for (uint8_t i = 0; i < state.registers.size(); i++)
    if (may_change(one, i) && (kept == kept_.end() || (kept->second >> i & 1) == 0))
      state.registers[i] = one.flow == Flow::Call && !is_result(i) ? not_read_ : Value();
  if (one.flow == Flow::Call) state.registers[rax] = {Base::Result, 0, one.address};
  if (!result || one.flow != Flow::Next) return;
  if (result->second.is_known()) state.registers[result->first] = result->second;
}

RegisterFlow::RegisterFlow(const Code& code, Registers registers) : flow_(code) {
  if (registers == Registers::All) {
    not_read_ = {};
    find_kept();
  }
  if (flow_.instructions().empty()) return;
  divide();
  run();
}

// Registers by which memory is addressed behind a call, before anything else is in them: the
// compiler knows that the callee does not use them.
void RegisterFlow::find_kept() {
  constexpr size_t most = 16;  // instructions behind the call
  const auto all = instructions();
  for (size_t call = 0; call < all.size(); call++) {
    if (all[call].flow != Flow::Call) continue;
    uint16_t written = 1 << 0 | 1 << 2;  // the results, in rax and rdx
    uint16_t kept = 0;
    for (size_t i = call + 1; i < all.size() && i <= call + most; i++) {
      const Instruction& one = all[i];
      if (one.memory)
        for (const uint8_t number : {one.memory->base, one.memory->index})
          if (number < 16 && (written >> number & 1) == 0)
            kept |= static_cast<uint16_t>(1 << number);
      if (one.flow != Flow::Next) break;
      for (uint8_t number = 0; number < 16; number++)
        if (may_change(one, number)) written |= static_cast<uint16_t>(1 << number);
    }
    if (kept != 0) kept_.emplace(all[call].address, kept);
  }
}

// A block begins where a jump leads and behind one.
void RegisterFlow::divide() {
  std::set<size_t> begins = {0};
  if (flow_.rest() < instructions().size()) begins.insert(flow_.rest());
  for (size_t i = 0; i < instructions().size(); i++) {
    const Instruction& one = instructions()[i];
    if (one.flow == Flow::Next || one.flow == Flow::Call) continue;
    for (const size_t next : successors(i)) begins.insert(next);
    if (i + 1 < instructions().size()) begins.insert(i + 1);
  }
  for (const size_t first : begins) {
    if (!blocks_.empty()) blocks_.back().end = first;
    blocks_.push_back({.first = first, .end = instructions().size()});
  }
}

size_t RegisterFlow::block_of(size_t instruction) const {
  const auto at = std::upper_bound(blocks_.begin(), blocks_.end(), instruction,
                                   [](size_t a, const Block& b) { return a < b.first; });
  return static_cast<size_t>(at - blocks_.begin()) - 1;
}

// What every call leaves, but for its results. So an exception finds it where it is caught, in a
// block that nothing else leads to: which calls lead there, only the table of exceptions shows.
std::optional<State> RegisterFlow::behind_any_call() const {
  std::optional<State> all;
  for (const Block& block : blocks_) {
    if (!block.before) continue;
    State state = *block.before;
    for (size_t i = block.first; i < block.end; i++) {
      apply(instructions()[i], state);
      if (instructions()[i].flow != Flow::Call) continue;
      State thrown = state;
      thrown.registers[rax] = {};
      if (all)
        join(*all, thrown);
      else
        all = std::move(thrown);
    }
  }
  return all;
}

void RegisterFlow::run() {
  State entry;
  constexpr std::array<uint8_t, 6> callers = {3, rbp, 12, 13, 14, 15};
  for (const uint8_t number : callers) entry.registers[number] = not_read_;
  entry.registers[rdi] = {Base::Parameter, 0};
  entry.registers[rsp] = {Base::Stack, 0};
  blocks_.front().before = std::move(entry);
  std::set<size_t> work = {0};
  std::vector<bool> is_done(blocks_.size());
  const auto reach = [&](size_t block, const State& state) {
    if (is_done[block]) return;
    std::optional<State>& before = blocks_[block].before;
    const bool has_changed = !before || join(*before, state);
    if (!before) before = state;
    if (has_changed) work.insert(block);
  };
  // Values are only lost, so that this ends; a hostile file may still take long.
  size_t left = 200'000 + 40 * blocks_.size();
  const auto follow = [&] {
    while (!work.empty() && left-- > 0) {
      const size_t number = *work.begin();
      work.erase(work.begin());
      const Block& block = blocks_[number];
      State state = *block.before;
      for (size_t i = block.first; i < block.end; i++) apply(instructions()[i], state);
      const size_t last = block.end - 1;
      for (const size_t next : successors(last)) reach(block_of(next), state);
      if (flow_.is_by_table(last) && !flow_.has_table(last))
        for (size_t other = 1; other < blocks_.size(); other++) reach(other, state);
    }
  };
  follow();
  const std::optional<State> thrown = behind_any_call();
  // What goes on behind a catch knows more than `thrown`.
  for (size_t block = 0; block < blocks_.size(); block++)
    is_done[block] = blocks_[block].before.has_value();
  for (size_t block = 1; thrown && block < blocks_.size() && work.empty(); block++) {
    if (blocks_[block].before) continue;
    reach(block, *thrown);
    follow();
  }
  if (!work.empty()) {
    for (Block& block : blocks_) block.before.reset();
    is_followed_ = false;
  }
}

void RegisterFlow::visit(
    const std::function<void(const Instruction& one, const State& before)>& visitor) const {
  for (const Block& block : blocks_) {
    if (!block.before) continue;
    State state = *block.before;
    for (size_t i = block.first; i < block.end; i++) {
      visitor(instructions()[i], state);
      apply(instructions()[i], state);
    }
  }
}

std::vector<RegisterFlow::Value> frames_of(const Code& code, const RegisterFlow& flow) {
  if (code.creates == 0) return {Value{Base::Parameter, 0}};
  std::vector<Value> frames;
  const Value resume{Base::Number, static_cast<int64_t>(code.creates)};
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    if (!is_store(one) || one.map != Map::OneByte || !one.is_64_bits) return;
    const bool is_number = one.opcode == 0xC7 && one.immediate == resume.offset;
    if (!is_number && (one.opcode != 0x89 || before.registers[one.reg] != resume)) return;
    const Value frame = before.address(one);
    if (frame.is_known() && std::find(frames.begin(), frames.end(), frame) == frames.end())
      frames.push_back(frame);
  });
  return frames;
}

}  // namespace skein
