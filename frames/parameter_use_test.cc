#include "frames/parameter_use.h"

#include <doctest/doctest.h>

#include <vector>

using namespace skein;

namespace {

ParameterUse use_in(const std::vector<uint8_t>& code) {
  return parameter_use({.address = 0x1000, .bytes = code});
}

}  // namespace

TEST_CASE("the functions of a coroutine use the frame only") {
  // cmp byte [rdi + 0x18], 0; jne L; mov byte [rdi + 0x18], 1; ret; L: mov qword [rdi], 0; ret
  const ParameterUse resumes = use_in({0x80, 0x7F, 0x18, 0x00, 0x75, 0x05, 0xC6, 0x47, 0x18, 0x01,
                                       0xC3, 0x48, 0xC7, 0x07, 0x00, 0x00, 0x00, 0x00, 0xC3});
  CHECK_FALSE(resumes.has_more);
  CHECK(resumes.is_used);
  CHECK(resumes.clears_first);
  CHECK(resumes.stores_number);
  CHECK_FALSE(resumes.is_passed);
  // push rax; call operator delete; pop rax; ret
  const ParameterUse destroys = use_in({0x50, 0xE8, 0xEA, 0x06, 0x00, 0x00, 0x58, 0xC3});
  CHECK_FALSE(destroys.has_more);
  CHECK(destroys.is_passed);
  CHECK_FALSE(destroys.is_used);
  // push rsi; xor esi, esi; mov rsi, rdi; lea rdi, [..]; jmp deallocate
  const ParameterUse of_pool = use_in({0x56, 0x31, 0xF6, 0x48, 0x89, 0xFE, 0x48, 0x8D, 0x3D, 0xC3,
                                       0xFF, 0xFF, 0xFF, 0xE9, 0xBE, 0x06, 0x00, 0x00});
  CHECK_FALSE(of_pool.has_more);
  CHECK(of_pool.is_passed);
}

TEST_CASE("other functions have more parameters") {
  // cmp edx, 1; jne L; mov [rdi], rsi; L: xor eax, eax; ret: a std::function's
  CHECK(use_in({0x83, 0xFA, 0x01, 0x75, 0x03, 0x48, 0x89, 0x37, 0x31, 0xC0, 0xC3}).has_more);
  CHECK(use_in({0x48, 0x89, 0x74, 0x24, 0xF0, 0xC3}).has_more);  // mov [rsp - 16], rsi; ret
  // mov [rdi + 0x78], esi; ret: clang stores what it leaves without a value
  CHECK_FALSE(use_in({0x89, 0x77, 0x78, 0xC3}).has_more);
  CHECK(use_in({0x48, 0x8B, 0x06, 0xC3}).has_more);  // mov rax, [rsi]; ret
  // call ..; mov rax, [rsi]: what the callee has left
  CHECK_FALSE(use_in({0xE8, 0x00, 0x00, 0x00, 0x00, 0x48, 0x8B, 0x06, 0xC3}).has_more);
  CHECK_FALSE(use_in({}).has_more);
}
