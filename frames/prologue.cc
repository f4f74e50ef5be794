#include "frames/prologue.h"

namespace skein {

// Intel's manual, volume 2. 50+r: push, with 41 for r8 to r15. 48 83 EC ib, 48 81 EC id: sub rsp,
// imm. REX.W 89 /r: mov r/m64, r64.
Prologue prologue_of(std::span<const uint8_t> code) {
  constexpr uint8_t rdi = 7;
  Prologue found{.parameter = {rdi}};
  size_t& at = found.end;
  const auto is = [&](size_t offset, uint8_t value) {
    return at + offset < code.size() && code[at + offset] == value;
  };
  while (at < code.size()) {
    const size_t opcode = at + (is(0, 0x41) ? 1 : 0);
    if (opcode < code.size() && (code[opcode] & 0xF8) == 0x50) {
      at = opcode + 1;
    } else if (is(0, 0x48) && is(2, 0xEC) && (is(1, 0x83) || is(1, 0x81))) {
      at += is(1, 0x83) ? 4 : 7;
    } else if ((is(0, 0x48) || is(0, 0x49)) && is(1, 0x89) && at + 2 < code.size() &&
               (code[at + 2] & 0xF8) == (0xC0 | rdi << 3)) {
      found.parameter.push_back(static_cast<uint8_t>((code[at + 2] & 7) | (is(0, 0x49) ? 8 : 0)));
      at += 3;
    } else {
      break;
    }
  }
  return found;
}

}  // namespace skein
