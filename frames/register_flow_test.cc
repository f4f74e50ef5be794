#include "frames/register_flow.h"

#include <doctest/doctest.h>

namespace skein {

namespace {

using Base = RegisterFlow::Base;
using Value = RegisterFlow::Value;

// Of the memory operand of the instruction at an address.
Value operand(std::vector<uint8_t> bytes, uint64_t address) {
  const RegisterFlow flow({.address = 0x1000, .bytes = bytes});
  CHECK(flow.is_complete());
  Value found;
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    if (one.address == address) found = before.address(one);
  });
  return found;
}

}  // namespace

TEST_CASE("addresses are followed through registers, the stack and calls") {
  // push %rbx; lea 0x50(%rdi),%rbx; mov %rbx,(%rsp); call; movw $4,-0x12(%rbx)
  CHECK(operand({0x53, 0x48, 0x8D, 0x5F, 0x50, 0xE8, 0, 0, 0, 0, 0x66, 0xC7, 0x43, 0xEE, 4, 0},
                0x100A) == Value{Base::Parameter, 0x3E});
  // sub $16,%rsp; mov %rdi,8(%rsp); call; mov 8(%rsp),%rax; movw $4,0x42(%rax)
  CHECK(operand({0x48, 0x83, 0xEC, 0x10, 0x48, 0x89, 0x7C, 0x24, 8,    0xE8, 0, 0, 0,
                 0,    0x48, 0x8B, 0x44, 0x24, 8,    0x66, 0xC7, 0x40, 0x42, 4, 0},
                0x1013) == Value{Base::Parameter, 0x42});
  // mov %rdi,%rax; call; movw $4,0x42(%rax): the call has changed it.
  CHECK(operand({0x48, 0x89, 0xF8, 0xE8, 0, 0, 0, 0, 0x66, 0xC7, 0x40, 0x42, 4, 0}, 0x1008) ==
        Value{Base::Result, 0x42, 0x1003});
  // The same with rdx and rcx.
  CHECK(!operand({0x48, 0x89, 0xFA, 0xE8, 0, 0, 0, 0, 0x66, 0xC7, 0x42, 0x42, 4, 0}, 0x1008)
             .is_known());
  CHECK(!operand({0x48, 0x89, 0xF9, 0xE8, 0, 0, 0, 0, 0x66, 0xC7, 0x41, 0x42, 4, 0}, 0x1008)
             .is_known());
  // push %rbp; mov %rsp,%rbp; movq $0,-8(%rbp)
  CHECK(operand({0x55, 0x48, 0x89, 0xE5, 0x48, 0xC7, 0x45, 0xF8, 0, 0, 0, 0}, 0x1004) ==
        Value{Base::Stack, -16});
}

TEST_CASE("values that differ between paths are unknown") {
  // test %esi,%esi; je +4; lea 8(%rdi),%rdi; movl $0,4(%rdi)
  const std::vector<uint8_t> joins = {0x85, 0xF6, 0x74, 4, 0x48, 0x8D, 0x7F, 8,
                                      0xC7, 0x47, 4,    0, 0,    0,    0};
  CHECK(!operand(joins, 0x1008).is_known());
  // The same, but lea 0(%rdi),%rdi.
  std::vector<uint8_t> same = joins;
  same[7] = 0;
  CHECK(operand(same, 0x1008) == Value{Base::Parameter, 4});
  // A loop: movl $0,(%rdi); add $4,%rdi; jmp back
  CHECK(!operand({0xC7, 0x07, 0, 0, 0, 0, 0x48, 0x83, 0xC7, 4, 0xEB, 0xF4}, 0x1000).is_known());
}

TEST_CASE("code that catches an exception has the registers that all calls have left") {
  // push %rbx; mov %rdi,%rbx; call; pop %rbx; ret; call; movb $0,0x11(%rbx)
  const std::vector<uint8_t> caught = {0x53, 0x48, 0x89, 0xFB, 0xE8, 0,    0, 0, 0,    0x5B, 0xC3,
                                       0xE8, 0,    0,    0,    0,    0xC6, 0x43, 0x11, 0};
  CHECK(operand(caught, 0x1010) == Value{Base::Parameter, 0x11});
  // push %rbx; mov %rdi,%rbx; call; lea 8(%rbx),%rbx; call; pop %rbx; ret; movb $0,0x11(%rbx)
  const std::vector<uint8_t> differs = {0x53, 0x48, 0x89, 0xFB, 0xE8, 0,    0,    0,    0,   0x48,
                                        0x8D, 0x5B, 8,    0xE8, 0,    0,    0,    0,    0x5B, 0xC3,
                                        0xC6, 0x43, 0x11, 0};
  CHECK(!operand(differs, 0x1014).is_known());
  // Nothing is called: push %rbx; mov %rdi,%rbx; pop %rbx; ret; movb $0,0x11(%rbx)
  CHECK(!operand({0x53, 0x48, 0x89, 0xFB, 0x5B, 0xC3, 0xC6, 0x43, 0x11, 0}, 0x1006).is_known());
}

TEST_CASE("jumps by a table lead to its entries") {
  // mov (%rdi),%eax; lea TABLE(%rip),%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax;
  // ud2; movl $0,(%rdi); ret
  const std::vector<uint8_t> bytes = {0x8B, 0x07, 0x48, 0x8D, 0x15, 0xF7, 0x0F, 0,    0,
                                      0x48, 0x63, 0x04, 0x82, 0x48, 0x01, 0xD0, 0xFF, 0xE0,
                                      0x0F, 0x0B, 0xC7, 0x07, 0,    0,    0,    0,    0xC3};
  const std::vector<uint8_t> table = {0x14, 0xF0, 0xFF, 0xFF, 0, 0, 0, 0};  // 0x1014, then none
  const RegisterFlow flow(
      {.address = 0x1000, .bytes = bytes, .file = [&](uint64_t at, uint64_t size) {
         return at < 0x2000 ? std::span<const uint8_t>()
                            : std::span(table).subspan(at - 0x2000, size);
       }});
  const auto jump = flow.find(0x1010);
  REQUIRE(jump);
  CHECK(flow.successors(*jump) == std::vector<size_t>{*flow.find(0x1014)});
}

TEST_CASE("entries of a table that lead out of the function do not end it") {
  // cmp $2,%cx; ja +0x17; lea TABLE(%rip),%rdx; mov (%rdx,%rcx,1),%eax; cltq; add %rdx,%rax;
  // jmp *%rax; ud2; movl $0,(%rdi); ret
  const std::vector<uint8_t> bytes = {0x66, 0x83, 0xF9, 2,    0x77, 0x0F, 0x48, 0x8D, 0x15, 0xF3,
                                      0x0F, 0,    0,    0x8B, 0x04, 0x0A, 0x48, 0x98, 0x48, 0x01,
                                      0xD0, 0xFF, 0xE0, 0x0F, 0x0B, 0xC7, 0x07, 0,    0,    0,
                                      0,    0xC3};
  std::vector<uint8_t> table = {0x17, 0xF0, 0xFF, 0xFF, 0,    0,    0,    1,
                                0x19, 0xF0, 0xFF, 0xFF, 0x1F, 0xF0, 0xFF, 0xFF};
  const RegisterFlow flow(
      {.address = 0x1000, .bytes = bytes, .file = [&](uint64_t at, uint64_t size) {
         return at < 0x2000 ? std::span<const uint8_t>()
                            : std::span(table).subspan(at - 0x2000, size);
       }});
  const auto jump = flow.find(0x1015);
  REQUIRE(jump);
  CHECK(flow.successors(*jump) == std::vector<size_t>{*flow.find(0x1017), *flow.find(0x1019)});
}

TEST_CASE("a register that is not read has no value where paths differ, if all count") {
  // push %rbx; test %esi,%esi; je +4; lea 0x10(%rdi),%rbx; call; pop %rbx; ret
  const std::vector<uint8_t> bytes = {0x53, 0x85, 0xF6, 0x74, 4, 0x48, 0x8D, 0x5F, 0x10,
                                      0xE8, 0,    0,    0,    0, 0x5B, 0xC3};
  const auto rbx = [&](RegisterFlow::Registers registers) {
    Value found;
    const RegisterFlow flow({.address = 0x1000, .bytes = bytes}, registers);
    flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
      if (one.address == 0x1009) found = before.registers[3];
    });
    return found;
  };
  CHECK(rbx(RegisterFlow::Registers::Read) == Value{Base::Parameter, 0x10});
  CHECK_FALSE(rbx(RegisterFlow::Registers::All).is_known());
}

TEST_CASE("a register that is read behind a call has the value from before it, if all count") {
  // mov %rdi,%r9; call; then movq $0,(%r9); ret
  std::vector<uint8_t> bytes = {0x49, 0x89, 0xF9, 0xE8, 0,    0,    0,    0,
                                0x49, 0xC7, 0x01, 0,    0,    0,    0,    0xC3};
  const auto r9_behind = [&](RegisterFlow::Registers registers) {
    Value found;
    const RegisterFlow flow({.address = 0x1000, .bytes = bytes}, registers);
    flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
      if (one.address == 0x1008) found = before.registers[9];
    });
    return found;
  };
  CHECK(r9_behind(RegisterFlow::Registers::All) == Value{Base::Parameter, 0});
  CHECK_FALSE(r9_behind(RegisterFlow::Registers::Read).is_known());
  bytes[10] = 0xC1;  // mov $0,%r9
  CHECK_FALSE(r9_behind(RegisterFlow::Registers::All).is_known());
}

}  // namespace skein
