#include "frames/adjacent_addresses.h"

#include <doctest/doctest.h>

#include <set>

using namespace skein;

// push rbx; mov edi, 0x30; call ..; lea rcx, [resume]; mov [rax], rcx; lea rcx, [cleanup];
// lea rdx, [destroy]; test sil, 1; cmovne rcx, rdx; mov [rax + 8], rcx; lea rcx, [resume];
// mov [rbx + 0x70], rcx; lea rbx, [destroy]; mov [rbx + 0x78], rbx; pop rbx; ret
TEST_CASE("what clang stores at the beginning of a frame") {
  const std::vector<uint8_t> code = {
      0x53, 0xBF, 0x30, 0x00, 0x00, 0x00, 0xE8, 0xF5, 0x07, 0x00, 0x00, 0x48, 0x8D, 0x0D, 0xEE,
      0x00, 0x00, 0x00, 0x48, 0x89, 0x08, 0x48, 0x8D, 0x0D, 0x14, 0x01, 0x00, 0x00, 0x48, 0x8D,
      0x15, 0xFD, 0x00, 0x00, 0x00, 0x40, 0xF6, 0xC6, 0x01, 0x48, 0x0F, 0x45, 0xCA, 0x48, 0x89,
      0x48, 0x08, 0x48, 0x8D, 0x0D, 0xCA, 0x00, 0x00, 0x00, 0x48, 0x89, 0x4B, 0x70, 0x48, 0x8D,
      0x1D, 0xDF, 0x00, 0x00, 0x00, 0x48, 0x89, 0x5B, 0x78, 0x5B, 0xC3};
  const std::set<uint64_t> functions = {0x1100, 0x1120, 0x1130};
  const auto is_function = [&](uint64_t address) { return functions.contains(address); };
  const Code all{.address = 0x1000, .bytes = code};
  const auto found = adjacent_addresses(all, is_function, false);
  REQUIRE(found.size() == 2);  // rbx has another value when the last is stored
  for (const AdjacentAddresses& one : found) {
    CHECK(one.first == 0x1100);
    CHECK(one.is_at_begin);
  }
  CHECK(found[0].second == 0x1130);
  CHECK(found[1].second == 0x1120);
  for (size_t size = 0; size < code.size(); size++)
    CHECK(adjacent_addresses({.address = 0x1000, .bytes = std::span(code).first(size)}, is_function,
                             false)
              .size() <= 2);
}

TEST_CASE("addresses in a program at a fixed address, inside of a frame") {
  // mov qword [rbx + 0x70], 0x1100; mov ecx, 0x1130; mov [rbx + 0x78], rcx
  const std::vector<uint8_t> code = {0x48, 0xC7, 0x43, 0x70, 0x00, 0x11, 0x00, 0x00, 0xB9,
                                     0x30, 0x11, 0x00, 0x00, 0x48, 0x89, 0x4B, 0x78};
  const auto is_function = [](uint64_t address) { return address == 0x1100 || address == 0x1130; };
  const auto found = adjacent_addresses({.address = 0x1000, .bytes = code}, is_function, true);
  REQUIRE(found.size() == 1);
  CHECK(found[0].first == 0x1100);
  CHECK(found[0].second == 0x1130);
  CHECK_FALSE(found[0].is_at_begin);
  CHECK(adjacent_addresses({.address = 0x1000, .bytes = code}, is_function, false).empty());
}

TEST_CASE("an address that is loaded before a loop") {
  // lea rcx, [0x1100]; lea rdx, [0x1120]; jmp L; M: xor edx, edx; ret; L: mov [rax], rcx; mov [rax
  // + 8], rdx; jmp M
  const std::vector<uint8_t> code = {0x48, 0x8D, 0x0D, 0xF9, 0x00, 0x00, 0x00, 0x48, 0x8D, 0x15,
                                     0x12, 0x01, 0x00, 0x00, 0xEB, 0x03, 0x31, 0xD2, 0xC3, 0x48,
                                     0x89, 0x08, 0x48, 0x89, 0x50, 0x08, 0xEB, 0xF4};
  const auto is_function = [](uint64_t address) { return address == 0x1100 || address == 0x1120; };
  const auto found = adjacent_addresses({.address = 0x1000, .bytes = code}, is_function, false);
  REQUIRE(found.size() == 1);
  CHECK(found[0].second == 0x1120);
}

TEST_CASE("stores by a register and by its copy") {
  // mov rbx, rax; lea rcx, [0x1100]; mov [rax], rcx; lea rax, [0x1120]; mov [rbx + 8], rax
  std::vector<uint8_t> code = {0x48, 0x89, 0xC3, 0x48, 0x8D, 0x0D, 0xF6, 0x00,
                               0x00, 0x00, 0x48, 0x89, 0x08, 0x48, 0x8D, 0x05,
                               0x0C, 0x01, 0x00, 0x00, 0x48, 0x89, 0x43, 0x08};
  const auto is_function = [](uint64_t address) { return address == 0x1100 || address == 0x1120; };
  const auto found = adjacent_addresses({.address = 0x1000, .bytes = code}, is_function, false);
  REQUIRE(found.size() == 1);
  CHECK(found[0].first == 0x1100);
  CHECK(found[0].is_at_begin);
  code[2] = 0xC2;  // mov rdx, rax
  CHECK(adjacent_addresses({.address = 0x1000, .bytes = code}, is_function, false).empty());
}
