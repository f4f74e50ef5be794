#include "frames/elided_use.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "frames/register_flow.h"

namespace skein {

namespace {

using Map = Instruction::Map;
using Flow = Instruction::Flow;
using Base = RegisterFlow::Base;
using Value = RegisterFlow::Value;
constexpr uint8_t rax = 0;
constexpr uint8_t rsp = 4;
constexpr uint8_t rdi = 7;
constexpr int64_t header = 16;  // bytes: the addresses of two functions

// What an instruction does with the frame.
enum class Effect : uint8_t { None, Creates, Uses };

class Analysis {
 public:
  Analysis(const Code& code, const ElidedFrame& elided) : elided_(elided), flow_(code) {}

  bool is_used_later() {
    const auto at = flow_.find(elided_.pc);
    if (!at || !flow_.is_complete() || is_landing_pad(*at)) return false;
    flow_.visit([&](const Instruction& one, const RegisterFlow::State& before) {
      if (one.address == elided_.pc) stack_ = before.registers[rsp];
    });
    if (!stack_.is_known()) return false;
    frame_ = {stack_.base, stack_.offset + static_cast<int64_t>(elided_.frame - elided_.sp)};
    effects_.assign(flow_.instructions().size(), Effect::None);
    flow_.visit([&](const Instruction& one, const RegisterFlow::State& before) {
      if (takes_address(one)) is_created_here_ = true;
      if (is_of_coroutine(one, before)) is_coroutine_ = true;
      effects_[static_cast<size_t>(&one - flow_.instructions().data())] = effect_of(one, before);
    });
    if (!is_created_here_ || (elided_.is_guess && !is_coroutine_)) return false;
    const auto creates = [&](size_t i) { return effects_[i] == Effect::Creates; };
    const auto is_at = [&](size_t i) { return i == *at; };
    const auto uses = [&](size_t i) { return effects_[i] == Effect::Uses; };
    return !search(0, false, creates, is_at) && search(*at, true, creates, uses);
  }

 private:
  // Of the function that resumes the coroutine, which is then stored in the frame.
  bool takes_address(const Instruction& one) const {
    if (one.map != Map::OneByte) return false;
    if (one.opcode == 0x8D && one.memory && one.memory->base == Instruction::rip)
      return one.end() + static_cast<uint64_t>(one.memory->displacement) ==
             elided_.coroutine.resume;
    const bool is_number = (one.opcode >= 0xB8 && one.opcode <= 0xBF) || one.opcode == 0xC7;
    return is_number && static_cast<uint64_t>(one.immediate) == elided_.coroutine.resume;
  }

  // A call with the frame, or a store of the number of a point.
  bool is_of_coroutine(const Instruction& one, const RegisterFlow::State& before) const {
    if (one.flow == Flow::Call) return effect_of(one, before) == Effect::Uses;
    const Value address = before.address(one);
    return elided_.index && one.map == Map::OneByte && one.opcode == 0xC6 &&
           address.base == frame_.base &&
           address.offset == frame_.offset + static_cast<int64_t>(elided_.index->offset);
  }

  bool overlaps(Value address, int64_t size, int64_t begin, int64_t length) const {
    if (address.base != frame_.base) return false;
    const int64_t at = address.offset - frame_.offset;
    return at < begin + length && begin < at + size;
  }

  Effect effect_of(const Instruction& one, const RegisterFlow::State& before) const {
    if (one.flow == Flow::Call && one.target) {
      const CoroutineFunction& of = elided_.coroutine;
      const bool is_of_frame = *one.target == of.resume || *one.target == of.cleanup ||
                               (of.destroy != 0 && *one.target == of.destroy);
      return is_of_frame && before.registers[rdi] == frame_ ? Effect::Uses : Effect::None;
    }
    const Value address = before.address(one);
    const int64_t size = access_size(one);
    if (!address.is_known() || size == 0) return Effect::None;
    if (is_store(one)) {
      // 0: the coroutine has ended.
      const bool is_zero = one.opcode == 0xC7 && one.map == Map::OneByte && one.immediate == 0;
      if (!is_zero && overlaps(address, size, 0, 8)) return Effect::Creates;
      return Effect::None;
    }
    const bool reads_index =
        elided_.index && overlaps(address, size, static_cast<int64_t>(elided_.index->offset),
                                  static_cast<int64_t>(elided_.index->size));
    return reads_index || overlaps(address, size, 0, header) ? Effect::Uses : Effect::None;
  }

  // clang puts the code that runs after exceptions behind calls that do not return. It begins with
  // the exception, in rax.
  bool is_landing_pad(size_t at) const {
    constexpr size_t few = 3;
    const auto all = flow_.instructions();
    for (size_t i = at; i < std::min(at + few, all.size()); i++)
      if (all[i].map == Map::OneByte && all[i].opcode == 0x89 && all[i].is_64_bits &&
          all[i].reg == rax)
        return true;
    return false;
  }

  // Where it surely may go on.
  std::vector<size_t> sure_successors(size_t at) const {
    std::vector<size_t> found = flow_.successors(at);
    const bool is_call = flow_.instructions()[at].flow == Flow::Call;
    if (is_call) std::erase_if(found, [&](size_t next) { return is_landing_pad(next); });
    return found;
  }

  template <typename Stops, typename Ends>
  bool search(size_t from, bool is_sure, const Stops& stops, const Ends& ends) const {
    std::vector<bool> seen(effects_.size());
    std::vector<size_t> work = {from};
    while (!work.empty()) {
      const size_t at = work.back();
      work.pop_back();
      if (seen[at]) continue;
      seen[at] = true;
      if (ends(at)) return true;
      if (stops(at)) continue;
      for (const size_t next : is_sure ? sure_successors(at) : flow_.successors(at))
        work.push_back(next);
    }
    return false;
  }

  const ElidedFrame& elided_;
  RegisterFlow flow_;
  Value stack_ = {};  // rsp at pc
  Value frame_ = {};
  std::vector<Effect> effects_ = {};
  bool is_created_here_ = false;
  bool is_coroutine_ = false;  // even if its functions have no names
};

}  // namespace

bool is_used_later(const Code& function, const ElidedFrame& elided) {
  return Analysis(function, elided).is_used_later();
}

}  // namespace skein
