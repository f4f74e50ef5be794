#include "frames/resume_point.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace skein;

namespace {

// Code at 0x1000 of 256 bytes, with a table at 0x2000.
struct Program {
  std::vector<uint8_t> code;
  std::vector<uint8_t> table = {};

  std::optional<uint64_t> target(uint32_t point) {
    code.resize(256, 0x90);
    return resume_target(
        {.address = 0x1000,
         .bytes = code,
         .file = [this](uint64_t address, uint64_t size) -> std::span<const uint8_t> {
           if (address < 0x2000 || address - 0x2000 + size > table.size()) return {};
           return std::span(table).subspan(address - 0x2000, size);
         }},
        point);
  }
};

template <typename Int>
std::vector<uint8_t> bytes_of(std::vector<Int> values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(Int));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

TEST_CASE("a table of distances") {
  // movzwl %ax,%eax; lea 0x2000(%rip),%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax;
  // ud2
  Program program{.code = {0x0F, 0xB7, 0xC0, 0x48, 0x8D, 0x15, 0xF6, 0x0F, 0,    0,   0x48,
                           0x63, 0x04, 0x82, 0x48, 0x01, 0xD0, 0xFF, 0xE0, 0x0F, 0x0B},
                  .table = bytes_of<int32_t>(
                      {-0x1000 + 0x40, -0x1000 + 19, -0x1000 + 0x50, -0x1000 + 19, 0x100000})};
  CHECK(program.target(2) == 0x1050);
  CHECK(!program.target(1));  // ud2
  CHECK(!program.target(4));  // outside the function
  CHECK(!program.target(6));  // outside the table
}

TEST_CASE("a table without even numbers") {
  // dec %eax; lea ..
  Program program{.code = {0xFF, 0xC8, 0x90, 0x48, 0x8D, 0x15, 0xF6, 0x0F, 0, 0, 0xFF, 0xE0},
                  .table = bytes_of<int32_t>({-0xF00, -0xF10, -0xF20, -0xF30, -0xF40})};
  CHECK(!program.target(2));
  program.code[0] = 0x83;  // sub $2,%eax
  program.code[1] = 0xE8;
  program.code[2] = 2;
  CHECK(program.target(4) == 0x10E0);
}

TEST_CASE("a table of addresses") {
  // jmp *0x2000(,%rax,8)
  Program program{.code = {0xFF, 0x24, 0xC5, 0, 0x20, 0, 0},
                  .table = bytes_of<uint64_t>({0x1010, 0, 0x1020})};
  CHECK(program.target(2) == 0x1020);
}

TEST_CASE("comparisons") {
  CHECK(Program{.code = {0x66, 0x83, 0xF8, 4, 0x74, 0x10}}.target(4) == 0x1016);
  CHECK(!Program{.code = {0x66, 0x83, 0xF8, 4, 0x74, 0x10}}.target(6));
  // ja, then je with 32 bits.
  CHECK(Program{.code = {0x66, 0x83, 0xF8, 4, 0x77, 0x7F, 0x0F, 0x84, 0x20, 0, 0, 0}}.target(4) ==
        0x102C);
  CHECK(Program{.code = {0x66, 0x83, 0xF8, 4, 0x75, 0x10}}.target(4) == 0x1006);  // jne
  CHECK(!Program{.code = {0x66, 0x83, 0xF8, 4, 0x77, 0x10}}.target(4));           // ja alone
  // cmpw $4,0x88(%rdi); je
  CHECK(Program{.code = {0x66, 0x83, 0xBF, 0x88, 0, 0, 0, 4, 0x74, 2}}.target(4) == 0x100C);
}

TEST_CASE("code that is cut short anywhere, and without a file") {
  const std::vector<uint8_t> code{0x48, 0x8D, 0x15, 0xF6, 0x0F, 0,    0, 0xFF, 0xE0,
                                  0x83, 0xF8, 4,    0x0F, 0x84, 0x20, 0, 0};
  for (size_t size = 0; size <= code.size(); size++)
    CHECK(!resume_target({.address = 0x1000, .bytes = std::span(code).first(size)}, 4));
}
