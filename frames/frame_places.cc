#include "frames/frame_places.h"

#include <algorithm>
#include <array>

namespace skein {

namespace {

constexpr size_t registers = 16;

// The instructions number rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi; DWARF differs (System V ABI for
// AMD64, figure 3.36).
unsigned dwarf_number(uint8_t number) {
  constexpr std::array<uint8_t, 8> numbers = {0, 2, 1, 3, 7, 6, 4, 5};
  return number < numbers.size() ? numbers[number] : number;
}

}  // namespace

std::vector<FramePlace> places_of_point(const std::vector<Store>& stores, uint32_t point) {
  std::array<size_t, registers> counts = {};
  for (const Store& store : stores)
    if (store.frame) counts[*store.frame % registers]++;
  const auto usual =
      static_cast<uint8_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  std::vector<FramePlace> found;
  for (const Store& store : stores)
    if (store.point == point && store.frame == usual)
      found.push_back({.address = store.begin, .register_number = dwarf_number(usual)});
  return found;
}

// 50+r: push, with 41 for r8 to r15. 48 83 EC ib, 48 81 EC id: sub rsp, imm. REX.W 89 /r: mov r/m64,
// r64, of rdi (7).
std::vector<FramePlace> places_at_begin(const Code& code) {
  constexpr uint8_t rdi = 7;
  const auto bytes = code.bytes;
  std::vector<uint8_t> copies = {rdi};
  size_t at = 0;
  const auto is = [&](size_t offset, uint8_t value) {
    return at + offset < bytes.size() && bytes[at + offset] == value;
  };
  while (at < bytes.size()) {
    const bool is_extended = is(0, 0x41);
    const size_t opcode = at + (is_extended ? 1 : 0);
    if (opcode < bytes.size() && (bytes[opcode] & 0xF8) == 0x50) {
      at = opcode + 1;
    } else if (is(0, 0x48) && is(2, 0xEC) && (is(1, 0x83) || is(1, 0x81))) {
      at += is(1, 0x83) ? 4 : 7;
    } else if ((is(0, 0x48) || is(0, 0x49)) && is(1, 0x89) && at + 2 < bytes.size() &&
               (bytes[at + 2] & 0xF8) == (0xC0 | rdi << 3)) {
      copies.push_back(static_cast<uint8_t>((bytes[at + 2] & 7) | (is(0, 0x49) ? 8 : 0)));
      at += 3;
    } else {
      break;
    }
  }
  std::vector<FramePlace> found;
  if (at >= bytes.size()) return found;
  for (const uint8_t copy : copies)
    found.push_back({.address = code.address + at, .register_number = dwarf_number(copy)});
  return found;
}

}  // namespace skein
