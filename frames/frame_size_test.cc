#include "frames/frame_size.h"

#include <doctest/doctest.h>

#include <vector>

using namespace skein;

TEST_CASE("the size of a frame from the code that creates it") {
  // At 0x1000: mov $0x48,%edi; call; lea 0x100(%rip),%rcx; mov %rcx,(%rax); ret
  const std::vector<uint8_t> code = {0xBF, 0x48, 0, 0, 0, 0xE8, 0,    0,    0,    0,   0x48,
                                     0x8D, 0x0D, 0, 1, 0, 0,    0x48, 0x89, 0x08, 0xC3};
  CHECK(size_in_creation({.address = 0x1000, .bytes = code, .creates = 0x1111}) == 0x48);
  CHECK(size_in_creation({.address = 0x1000, .bytes = code, .creates = 0x1112}) == 0);
  CHECK(size_in_creation({.address = 0x1000, .bytes = code}) == 0);
  // The caller's parameter: call; ..
  const std::vector<uint8_t> unknown(code.begin() + 5, code.end());
  CHECK(size_in_creation({.address = 0x1005, .bytes = unknown, .creates = 0x1111}) == 0);
  for (size_t size = 0; size < 20; size++)
    CHECK(size_in_creation(
              {.address = 0x1000, .bytes = std::span(code).first(size), .creates = 0x1111}) == 0);
}

TEST_CASE("what the code that resumes a coroutine uses of its frame") {
  // mov 0x20(%rdi),%eax; lea 0x30(%rdi),%rsi; ret
  const std::vector<uint8_t> code = {0x8B, 0x47, 0x20, 0x48, 0x8D, 0x77, 0x30, 0xC3};
  CHECK(least_size({.address = 0, .bytes = code}) == 0x30);
  CHECK(least_size({.address = 0, .bytes = std::span(code).first(3)}) == 0x24);
  CHECK(least_size({}) == 16);
}
