#include "frames/untold_points.h"

#include <doctest/doctest.h>

#include <vector>

using namespace skein;

TEST_CASE("a suspension point at which nothing gets the handle") {
  // cmp byte [rdi + 0x18], 0; jne L; mov rax, [rdi + 0x10]; mov byte [rdi + 0x18], 1;
  // mov [rax + 0x10], rdi; ret; L: mov byte [rdi + 0x18], 2; mov eax, 5; mov [rdi + 0x20], eax; ret
  std::vector<uint8_t> code = {0x80, 0x7F, 0x18, 0x00, 0x75, 0x0D, 0x48, 0x8B, 0x47, 0x10, 0xC6,
                               0x47, 0x18, 0x01, 0x48, 0x89, 0x78, 0x10, 0xC3, 0xC6, 0x47, 0x18,
                               0x02, 0xB8, 0x05, 0x00, 0x00, 0x00, 0x89, 0x47, 0x20, 0xC3};
  const auto is_untold = [&](uint32_t point) {
    return is_told_to_none({.address = 0x1000, .bytes = code, .has_frame = true},
                           CoroutineFunction::Compiler::Clang, 0x18, point);
  };
  CHECK_FALSE(is_untold(1));  // its handle is stored in what it waits for
  CHECK(is_untold(2));
  CHECK_FALSE(is_untold(3));  // nothing stores it
  code[31] = 0xE9;            // a jump that is cut off
  CHECK_FALSE(is_untold(2));
  // ... jmp rax
  code[31] = 0xFF;
  code.push_back(0xE0);
  CHECK_FALSE(is_untold(2));
}
