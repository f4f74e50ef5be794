#include "frames/kept_registers.h"

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "frames/instruction.h"

namespace skein {

namespace {

using Flow = Instruction::Flow;

// At the end of a file's part, fewer bytes are there than an instruction may have.
std::optional<Instruction> instruction_at(const Code& code, uint64_t address) {
  constexpr uint64_t longest = 15;
  for (uint64_t size = longest; size > 0; size--)
    if (const auto bytes = code.file(address, size); bytes.size() == size)
      return decode_one(bytes, address);
  return {};
}

}  // namespace

bool keeps_register(const Code& code, uint64_t function, uint8_t number) {
  constexpr size_t most = 4096;  // instructions
  if (!code.file) return false;
  std::set<uint64_t> seen;
  std::vector<uint64_t> work = {function};
  while (!work.empty()) {
    uint64_t at = work.back();
    work.pop_back();
    while (seen.insert(at).second) {
      const auto one = seen.size() > most ? std::nullopt : instruction_at(code, at);
      const bool is_jump = one && one->flow == Flow::Jump;
      const bool is_call = one && one->flow == Flow::Call;
      if (!one || ((is_jump || is_call) && !one->target)) return false;
      if (!is_call && may_change(*one, number)) return false;
      if (one->flow == Flow::Stop) break;
      if (is_call || one->flow == Flow::Branch) work.push_back(*one->target);
      at = is_jump ? *one->target : one->end();
    }
  }
  return true;
}

}  // namespace skein
