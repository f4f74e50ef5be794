#include "frames/frame_places.h"

#include <array>

#include "frames/prologue.h"

namespace skein {

namespace {

// The instructions number rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi; DWARF differs (System V ABI for
// AMD64, figure 3.36).
unsigned dwarf_number(uint8_t number) {
  constexpr std::array<uint8_t, 8> numbers = {0, 2, 1, 3, 7, 6, 4, 5};
  return number < numbers.size() ? numbers[number] : number;
}

}  // namespace

std::vector<FramePlace> places_of_point(const std::vector<Store>& stores, uint32_t point) {
  std::vector<FramePlace> found;
  const std::optional<uint8_t> frame = frame_register(stores);
  for (const Store& store : stores)
    if (frame && store.point == point && store.frame == frame)
      found.push_back({.address = store.begin, .register_number = dwarf_number(*frame)});
  return found;
}

std::vector<FramePlace> places_at_begin(const Code& code) {
  const Prologue prologue = prologue_of(code.bytes);
  std::vector<FramePlace> found;
  if (prologue.end >= code.bytes.size()) return found;
  for (const uint8_t number : prologue.parameter)
    found.push_back(
        {.address = code.address + prologue.end, .register_number = dwarf_number(number)});
  return found;
}

}  // namespace skein
