#include "frames/control_flow.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace skein {

namespace {

using Map = Instruction::Map;
using Flow = Instruction::Flow;
constexpr size_t near_table = 12;  // instructions

}  // namespace

ControlFlow::ControlFlow(const Code& code)
    : instructions_(decode(code.bytes, code.address)), rest_(instructions_.size()) {
  if (instructions_.empty()) return;
  is_complete_ = instructions_.back().end() == code.address + code.bytes.size();
  if (!code.rest.empty()) {
    const std::vector<Instruction> rest = decode(code.rest, code.rest_address);
    is_complete_ =
        is_complete_ && !rest.empty() && rest.back().end() == code.rest_address + code.rest.size();
    instructions_.insert(instructions_.end(), rest.begin(), rest.end());
  }
  for (size_t i = 0; i < instructions_.size(); i++)
    if (is_by_table(i)) read_table(code, i);
}

bool ControlFlow::is_by_table(size_t jump) const {
  const Instruction& one = instructions_[jump];
  if (one.flow != Flow::Jump || one.target) return false;
  if (one.memory) return one.memory->index != Instruction::none;
  // movslq (%rdx,%rax,4),%rax; without optimisation mov (%rdx,%rax,1),%eax; cltq.
  for (size_t i = jump; i-- > 0 && jump - i <= near_table;) {
    const Instruction& reads = instructions_[i];
    const bool is_read = reads.opcode == 0x63 || (reads.opcode == 0x8B && !reads.is_64_bits);
    if (is_read && reads.map == Map::OneByte && reads.memory &&
        reads.memory->index != Instruction::none)
      return true;
    if (reads.flow != Flow::Next) return false;
  }
  return false;
}

// The highest number that jumps by a table: `cmp $N,%cx; ja ELSEWHERE` before. Nothing: unknown.
std::optional<uint64_t> ControlFlow::last_entry(size_t jump) const {
  constexpr uint8_t if_above = 7;
  for (size_t i = jump; i-- > 0 && jump - i <= near_table;) {
    const Instruction& one = instructions_[i];
    if (one.flow == Flow::Next || one.flow == Flow::Call) continue;
    if (one.flow != Flow::Branch || (one.opcode & 0xF) != if_above || i == 0) return {};
    const Instruction& compares = instructions_[i - 1];
    const uint8_t op = compares.opcode;
    const bool is_number = ((op == 0x80 || op == 0x81 || op == 0x83) && compares.digit() == 7) ||
                           op == 0x3C || op == 0x3D;
    if (compares.map != Map::OneByte || !is_number || compares.immediate < 0) return {};
    return static_cast<uint64_t>(compares.immediate);
  }
  return {};
}

// `jmp *TABLE(,%rax,8)`, or what is in resume_point.cc. Entries may lead out of the function (g++ has
// traps elsewhere). A table of unknown length ends before the first one that does.
void ControlFlow::read_table(const Code& code, size_t jump) {
  constexpr uint64_t most = 4096;  // entries
  const Instruction& one = instructions_[jump];
  uint64_t table = 0;
  const uint64_t size = one.memory ? 8 : 4;
  if (one.memory && one.memory->base == Instruction::none)
    table = static_cast<uint64_t>(one.memory->displacement);
  for (size_t i = jump; table == 0 && i-- > 0 && jump - i <= near_table;)
    if (instructions_[i].opcode == 0x8D && instructions_[i].memory &&
        instructions_[i].memory->base == Instruction::rip)
      table = instructions_[i].end() + static_cast<uint64_t>(instructions_[i].memory->displacement);
  if (table == 0 || !code.file) return;
  const std::optional<uint64_t> last = last_entry(jump);
  for (uint64_t i = 0; i < most && i <= last.value_or(most); i++) {
    const std::span<const uint8_t> entry = code.file(table + i * size, size);
    if (entry.size() != size) return;
    uint64_t target = 0;
    if (size == 8) {
      std::memcpy(&target, entry.data(), sizeof target);
    } else {
      target = table + static_cast<uint64_t>(int64_t{signed_at(entry, 0)});
    }
    const auto number = find(target);
    if (!number && !last) return;
    if (number) table_targets_[jump].push_back(*number);
  }
}

std::optional<size_t> ControlFlow::find(uint64_t address) const {
  const auto rest = instructions_.begin() + static_cast<ptrdiff_t>(rest_);
  for (const auto& [begin, end] :
       {std::pair(instructions_.begin(), rest), std::pair(rest, instructions_.end())}) {
    const auto at = std::lower_bound(
        begin, end, address, [](const Instruction& one, uint64_t b) { return one.address < b; });
    if (at != end && at->address == address) return static_cast<size_t>(at - instructions_.begin());
  }
  return {};
}

std::vector<size_t> ControlFlow::successors(size_t number) const {
  const Instruction& one = instructions_[number];
  std::vector<size_t> found;
  const bool goes_on = one.flow == Flow::Next || one.flow == Flow::Call || one.flow == Flow::Branch;
  if (goes_on && number + 1 < instructions_.size() && number + 1 != rest_)
    found.push_back(number + 1);
  if ((one.flow == Flow::Branch || one.flow == Flow::Jump) && one.target)
    if (const auto target = find(*one.target)) found.push_back(*target);
  if (const auto table = table_targets_.find(number); table != table_targets_.end())
    found.insert(found.end(), table->second.begin(), table->second.end());
  return found;
}

std::vector<std::vector<size_t>> ControlFlow::predecessors() const {
  std::vector<std::vector<size_t>> found(instructions_.size());
  for (size_t i = 0; i < instructions_.size(); i++)
    for (const size_t next : successors(i)) found[next].push_back(i);
  return found;
}

}  // namespace skein
