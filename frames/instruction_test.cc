#include "frames/instruction.h"

#include <doctest/doctest.h>

namespace skein {

namespace {

using Flow = Instruction::Flow;

Instruction only(std::vector<uint8_t> bytes) {
  const auto one = decode_one(bytes, 0x1000);
  REQUIRE(one);
  CHECK(one->size == bytes.size());
  return *one;
}

}  // namespace

TEST_CASE("instructions have the lengths that the processor has") {
  only({0x55});                                                   // push %rbp
  only({0x41, 0x57});                                             // push %r15
  only({0x48, 0x8D, 0x05, 1, 0, 0, 0});                           // lea 1(%rip),%rax
  only({0x66, 0xC7, 0x43, 0x42, 4, 0});                           // movw $4,0x42(%rbx)
  only({0x48, 0xC7, 0x04, 0x24, 0, 0, 0, 0});                     // movq $0,(%rsp)
  only({0x48, 0xB8, 1, 2, 3, 4, 5, 6, 7, 8});                     // movabs
  only({0xF6, 0xC1, 3});                                          // test $3,%cl
  only({0xF7, 0xD8});                                             // neg %eax
  only({0x0F, 0xB6, 0x44, 0x24, 0x1C});                           // movzbl 0x1c(%rsp),%eax
  only({0x66, 0x0F, 0x6F, 0x05, 0, 0, 0, 0});                     // movdqa 0(%rip),%xmm0
  only({0x66, 0x0F, 0x3A, 0x22, 0xC8, 1});                        // pinsrd $1,%eax,%xmm1
  only({0xC5, 0xF8, 0x11, 0x44, 0x24, 0x10});                     // vmovups %xmm0,0x10(%rsp)
  only({0xC4, 0xE3, 0x7D, 0x39, 0xC1, 1});                        // vextracti128 $1,%ymm0,%xmm1
  only({0x62, 0xF1, 0x7C, 0x48, 0x11, 0x47, 1});                  // vmovups %zmm0,0x40(%rdi)
  only({0xF0, 0x48, 0x0F, 0xB1, 0x0F});                           // lock cmpxchg %rcx,(%rdi)
  only({0x66, 0x2E, 0x0F, 0x1F, 0x84, 0, 0, 0, 0, 0});            // a long nop
  only({0x64, 0x48, 0x8B, 0x04, 0x25, 0x28, 0, 0, 0});            // mov %fs:0x28,%rax
  CHECK(!decode_one(std::vector<uint8_t>{0x06}, 0));              // invalid
  CHECK(!decode_one(std::vector<uint8_t>{0x48, 0x8D, 0x05}, 0));  // cut off
  CHECK(!decode_one({}, 0));
}

TEST_CASE("operands, and where instructions lead") {
  const Instruction store =
      only({0x66, 0x41, 0xC7, 0x44, 0x24, 0xEE, 4, 0});  // movw $4,-0x12(%r12)
  CHECK(store.is_16_bits);
  CHECK(store.immediate == 4);
  REQUIRE(store.memory);
  CHECK(store.memory->base == 12);
  CHECK(store.memory->displacement == -0x12);
  CHECK(is_store(store));
  CHECK(access_size(store) == 2);
  const Instruction scaled = only({0xFF, 0x24, 0xC5, 0x10, 0x20, 0, 0});  // jmp *0x2010(,%rax,8)
  CHECK(scaled.flow == Flow::Jump);
  CHECK(!scaled.target);
  CHECK(scaled.memory->index == 0);
  CHECK(scaled.memory->base == Instruction::none);
  CHECK(only({0xE8, 0xFB, 0xFF, 0xFF, 0xFF}).target == 0x1000);
  CHECK(only({0x74, 0x10}).target == 0x1012);
  CHECK(only({0x74, 0x10}).flow == Flow::Branch);
  CHECK(only({0x0F, 0x84, 0, 1, 0, 0}).target == 0x1106);
  CHECK(only({0x0F, 0x0B}).flow == Flow::Stop);
  CHECK(only({0xFF, 0x10}).flow == Flow::Call);
}

TEST_CASE("registers that an instruction may change") {
  const Instruction to_register = only({0x48, 0x89, 0xFB});  // mov %rdi,%rbx
  CHECK(may_change(to_register, 3));
  CHECK(!may_change(to_register, 7));
  const Instruction compare = only({0x48, 0x39, 0xC8});  // cmp %rcx,%rax
  CHECK(!may_change(compare, 0));
  CHECK(!may_change(only({0x0F, 0x11, 0x1C, 0x24}), 3));  // movups %xmm3,(%rsp)
  const Instruction call = only({0xE8, 0, 0, 0, 0});
  CHECK(may_change(call, 0));
  CHECK(!may_change(call, 3));
  CHECK(may_change(only({0x48, 0xF7, 0xE1}), 2));  // mul %rcx
}

}  // namespace skein
