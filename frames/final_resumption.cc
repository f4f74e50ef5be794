#include "frames/final_resumption.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "frames/register_flow.h"

namespace skein {

namespace {

using Base = RegisterFlow::Base;
using Flow = Instruction::Flow;
using Map = Instruction::Map;

bool is_mov(const Instruction& one, uint8_t opcode) {
  return one.map == Map::OneByte && one.opcode == opcode && one.is_64_bits;
}

// 8B /r: mov r64, m64.
bool is_load(const Instruction& one) { return is_mov(one, 0x8B) && one.memory && !one.has_segment; }

// 0F 40 to 4F /r: cmovcc.
bool is_conditional_move(const Instruction& one) {
  return one.map == Map::TwoBytes && (one.opcode & 0xF0) == 0x40;
}

// Where a frame has what the instruction loads, if it may be a word of the promise. A pointer from
// memory may be the frame's own address, as g++ keeps it in the frame.
std::optional<uint32_t> loaded_word(const Instruction& one, const RegisterFlow::State& before) {
  constexpr int64_t header = 16;
  constexpr int64_t most = 1 << 16;
  if (!is_load(one) || one.memory->index != Instruction::none) return {};
  const RegisterFlow::Value address = before.address(one);
  if (address.is_known() && address.base != Base::Parameter) return {};
  const int64_t offset = address.is_known() ? address.offset : one.memory->displacement;
  if (offset < header || offset >= most || offset % 8 != 0) return {};
  return static_cast<uint32_t>(offset);
}

class Search {
 public:
  explicit Search(const Code& code) : flow_(code) {
    flow_.visit([&](const Instruction& one, const RegisterFlow::State& before) {
      const size_t number = *flow_.find(one.address);
      const RegisterFlow::Value address = before.address(one);
      if (is_store(one) && access_size(one) == 8 &&
          address == RegisterFlow::Value{Base::Parameter, 0})
        ends_.push_back(number);
      if (const auto offset = loaded_word(one, before)) loads_.emplace(number, *offset);
    });
  }

  std::vector<uint32_t> run() {
    std::set<uint32_t> found;
    if (!flow_.is_complete()) return {};
    is_known_ = !ends_.empty();
    for (const size_t number : behind_ends()) {
      const auto load = loads_.find(number);
      if (load != loads_.end() && is_resumed(number)) found.insert(load->second);
      is_known_ = is_known_ && !leaves(number);
    }
    return {found.begin(), found.end()};
  }
  // After run(): whether the code shows all that happens at the end.
  bool is_known() const { return is_known_; }

 private:
  // A call, or a jump out of the function, but for one to what a handle has.
  bool leaves(size_t number) const {
    const Instruction& one = at(number);
    if (one.flow != Flow::Call && one.flow != Flow::Jump) return false;
    return one.target && (one.flow == Flow::Call || !flow_.find(*one.target));
  }

  const Instruction& at(size_t number) const { return flow_.instructions()[number]; }

  // The compiler may move a load before the store, which it cannot be the object of.
  std::set<size_t> behind_ends() const {
    constexpr size_t most_before = 4;
    std::set<size_t> reached;
    std::vector<size_t> work;
    const auto reach = [&](size_t number) {
      if (reached.insert(number).second) work.push_back(number);
    };
    for (const size_t end : ends_) {
      for (size_t i = 1; i <= most_before && i <= end && at(end - i).flow == Flow::Next; i++)
        reached.insert(end - i);
      reach(end);
    }
    while (!work.empty()) {
      const size_t number = work.back();
      work.pop_back();
      for (const size_t next : flow_.successors(number)) reach(next);
    }
    return reached;
  }

  // Whether the code jumps to the function at the beginning of what it has loaded.
  bool is_resumed(size_t load) const {
    constexpr int most = 24;  // instructions
    std::set<std::pair<size_t, uint16_t>>
        work;  // what comes next, and the registers with the handle
    for (const size_t next : flow_.successors(load))
      work.emplace(next, uint16_t{1} << (at(load).reg & 15));
    for (int i = 0; i < most && !work.empty(); i++) {
      auto [number, registers] = *work.begin();
      work.erase(work.begin());
      const Instruction& one = at(number);
      const bool is_at_handle = one.memory && one.memory->base < Instruction::none &&
                                one.memory->index == Instruction::none &&
                                one.memory->displacement == 0 &&
                                (registers >> one.memory->base & 1) != 0;
      const bool is_jump = (one.flow == Flow::Call || one.flow == Flow::Jump) && !one.target;
      if (is_at_handle && (is_jump || is_load(one))) return true;
      registers = with_copies(one, registers);
      if (registers == 0) continue;
      for (const size_t next : flow_.successors(number)) work.emplace(next, registers);
    }
    return false;
  }

  // 89 /r: mov r64, r64; 8B /r the other way round.
  static uint16_t with_copies(const Instruction& one, uint16_t registers) {
    const auto has = [&](uint8_t number) {
      return number < Instruction::none && (registers >> number & 1) != 0;
    };
    const bool is_from_rm = is_mov(one, 0x8B) || is_conditional_move(one);
    const bool is_copy =
        !one.memory && ((is_mov(one, 0x89) && has(one.reg)) || (is_from_rm && has(one.rm)));
    const uint8_t to = is_from_rm ? one.reg : one.rm;
    for (uint8_t number = 0; number < Instruction::none; number++)
      if (may_change(one, number) && !is_conditional_move(one))
        registers &= static_cast<uint16_t>(~(1U << number));
    if (is_copy && to < Instruction::none) registers |= static_cast<uint16_t>(1U << to);
    return registers;
  }

  RegisterFlow flow_;
  std::vector<size_t> ends_ = {};          // where it stores that it has ended
  std::map<size_t, uint32_t> loads_ = {};  // by instruction, the word
  bool is_known_ = false;
};

}  // namespace

FinalResumption::FinalResumption(const Code& code, const Code& rest) {
  Search search(code);
  resumed_ = search.run();
  is_known_ = search.is_known();
  use_ = promise_use(code);
  if (rest.bytes.empty()) return;
  const PromiseUse more = promise_use(rest);
  use_.read |= more.read;
  use_.surely_read |= more.surely_read;
  use_.is_passed_on |= more.is_passed_on;
}

FinalResumption::Answer FinalResumption::resumes(uint32_t offset) const {
  if (std::binary_search(resumed_.begin(), resumed_.end(), offset)) return Answer::Yes;
  constexpr uint32_t words = 32;  // of PromiseUse
  if (!is_known_ || use_.is_passed_on || offset / 8 >= words || offset % 8 != 0)
    return Answer::Unknown;
  // It has one continuation. What it reads at an unknown address is then part of another object.
  const uint32_t read = resumed_.empty() ? use_.read : use_.surely_read;
  return (read >> offset / 8 & 1) != 0 ? Answer::Unknown : Answer::No;
}

}  // namespace skein
