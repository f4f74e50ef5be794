#include "frames/kept_registers.h"

#include <doctest/doctest.h>

#include <vector>

using namespace skein;

namespace {

bool keeps(const std::vector<uint8_t>& bytes, uint8_t number) {
  constexpr uint64_t begin = 0x1000;
  const auto file = [&](uint64_t address, uint64_t size) -> std::span<const uint8_t> {
    const uint64_t at = address - begin;
    if (at > bytes.size() || size > bytes.size() - at) return {};
    return std::span(bytes).subspan(at, size);
  };
  return keeps_register({.file = file}, begin, number);
}

}  // namespace

TEST_CASE("registers that a function leaves as they are") {
  // test %edi,%edi; je +2; xor %eax,%eax; ret
  const std::vector<uint8_t> code = {0x85, 0xFF, 0x74, 2, 0x31, 0xC0, 0xC3};
  CHECK_FALSE(keeps(code, 0));
  CHECK(keeps(code, 1));
  CHECK(keeps(code, 2));
  for (size_t size = 0; size < code.size(); size++)
    CHECK_FALSE(keeps({code.begin(), code.begin() + static_cast<int64_t>(size)}, 2));
}

TEST_CASE("registers of a function that others continue") {
  // call +1; ret; mov %eax,%ecx; ret
  CHECK_FALSE(keeps({0xE8, 1, 0, 0, 0, 0xC3, 0x89, 0xC1, 0xC3}, 1));
  CHECK(keeps({0xE8, 1, 0, 0, 0, 0xC3, 0x89, 0xC1, 0xC3}, 2));
  CHECK_FALSE(keeps({0xE8, 0, 0, 1, 0, 0xC3}, 1));     // of another file
  CHECK_FALSE(keeps({0xFF, 0xE0}, 1));                 // jmp *%rax
  CHECK_FALSE(keeps({0xFF, 0xD0, 0xC3}, 1));           // call *%rax; ret
  CHECK(keeps({0xEB, 1, 0x90, 0xC3}, 1));              // jmp +1; nop; ret
  CHECK_FALSE(keeps({0xEB, 0, 0x89, 0xC1, 0xC3}, 1));  // jmp +0; mov %eax,%ecx; ret
  CHECK(keeps({0x74, 0xFE, 0xC3}, 1));                 // je to itself; ret
}
