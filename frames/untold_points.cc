#include "frames/untold_points.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "frames/index_stores.h"
#include "frames/instruction.h"
#include "frames/register_flow.h"

namespace skein {

namespace {

using Map = Instruction::Map;
using Flow = Instruction::Flow;
using Base = RegisterFlow::Base;

// Whether an instruction may give an address in the frame to something.
bool may_tell(const Instruction& one, const RegisterFlow::State& before) {
  if (one.flow == Flow::Call) return true;
  if (one.flow == Flow::Jump && !one.target) return true;
  const auto is_frame = [&](uint8_t number) {
    return number < before.registers.size() && before.registers[number].base == Base::Parameter;
  };
  // 66 REX.W 0F 6E /r: movq xmm, r64.
  if (one.map == Map::TwoBytes && one.opcode == 0x6E && one.is_64_bits) return is_frame(one.rm);
  if (!one.memory) return false;
  const Base to = before.address(one).base;
  const bool is_inside = to == Base::Parameter || to == Base::Stack || to == Base::Aligned;
  const bool is_one_byte = one.map == Map::OneByte;
  // 89: mov, 87: xchg; 0F B1: cmpxchg, 0F C1: xadd.
  const bool writes_register =
      one.is_64_bits &&
      (is_one_byte ? one.opcode == 0x89 || one.opcode == 0x87
                   : one.map == Map::TwoBytes && (one.opcode == 0xB1 || one.opcode == 0xC1));
  if (writes_register)
    return is_frame(one.reg) || (!is_inside && before.registers[one.reg].base != Base::Number);
  const bool is_vector = one.map != Map::OneByte && is_store(one);
  return is_vector && !is_inside;
}

class Search {
 public:
  Search(const Code& code, CoroutineFunction::Compiler compiler, uint64_t offset)
      : flow_(code), end_(code.address + code.bytes.size()), begin_(code.address) {
    if (!flow_.is_complete()) return;
    stores_ = find_own_stores(code, compiler, offset);
    tells_.resize(flow_.instructions().size());
    flow_.visit([this](const Instruction& one, const RegisterFlow::State& before) {
      const auto number = flow_.find(one.address);
      if (!number) return;
      const bool leaves =
          one.flow == Flow::Jump && one.target && (*one.target < begin_ || *one.target >= end_);
      tells_[*number] = leaves || may_tell(one, before);
    });
    sources_.resize(flow_.instructions().size());
    for (size_t i = 0; i < flow_.instructions().size(); i++)
      for (const size_t next : flow_.successors(i)) sources_[next].push_back(i);
  }

  bool is_untold(uint32_t point) const {
    bool is_found = false;
    for (const Store& store : stores_) {
      if (store.point == UINT32_MAX) return false;
      if (store.point != point) continue;
      is_found = true;
      const auto at = flow_.find(store.begin);
      if (!at || tells_before(*at) || tells_behind(*at)) return false;
    }
    return is_found;
  }

 private:
  // Stores may have been put before that of the number.
  bool tells_before(size_t at) const {
    const auto all = flow_.instructions();
    while (sources_[at].size() == 1) {
      const size_t before = sources_[at].front();
      const Flow flow = all[before].flow;
      if (flow == Flow::Call || flow == Flow::Branch) return false;
      if (flow == Flow::Jump && !all[before].target) return false;  // by a table
      if (before >= at && flow != Flow::Jump) return false;
      if (tells_[before]) return true;
      at = before;
      if (at == 0) return false;
    }
    return false;
  }

  bool tells_behind(size_t first) const {
    const auto all = flow_.instructions();
    std::set<size_t> seen;
    std::vector<size_t> work = {first};
    while (!work.empty()) {
      const size_t at = work.back();
      work.pop_back();
      if (!seen.insert(at).second) continue;
      if (tells_[at]) return true;
      // It goes on to another point if await_suspend() returns false.
      const bool is_other_store =
          at != first && std::any_of(stores_.begin(), stores_.end(), [&](const Store& store) {
            return store.begin == all[at].address;
          });
      if (is_other_store) continue;
      const auto next = flow_.successors(at);
      if (next.empty() && all[at].flow != Flow::Stop) return true;
      work.insert(work.end(), next.begin(), next.end());
    }
    return false;
  }

  RegisterFlow flow_;
  uint64_t end_;
  uint64_t begin_;
  std::vector<Store> stores_ = {};
  std::vector<bool> tells_ = {};                   // by instruction
  std::vector<std::vector<size_t>> sources_ = {};  // by instruction, those that lead there
};

}  // namespace

bool is_told_to_none(const Code& code, CoroutineFunction::Compiler compiler, uint64_t offset,
                     uint32_t point) {
  return Search(code, compiler, offset).is_untold(point);
}

}  // namespace skein
