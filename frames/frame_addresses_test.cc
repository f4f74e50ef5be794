#include "frames/frame_addresses.h"

#include <doctest/doctest.h>

#include <vector>

namespace skein {

namespace {

using Place = FrameAddress::Place;

FrameAddresses of(const std::vector<uint8_t>& bytes, uint64_t creates = 0) {
  return FrameAddresses({.address = 0x1000, .bytes = bytes, .creates = creates});
}

}  // namespace

TEST_CASE("the address of a frame is found in registers and on the stack, also behind calls") {
  // push %rbx; lea 16(%rdi),%rbx; call; ret
  const FrameAddresses kept = of({0x53, 0x48, 0x8D, 0x5F, 16, 0xE8, 0, 0, 0, 0, 0xC3});
  CHECK(kept.at(0x1000) == FrameAddress{.place = Place::Register, .number = 5});
  CHECK(kept.at(0x100A) == FrameAddress{.place = Place::Register, .number = 3, .plus = 16});
  CHECK_FALSE(kept.at(0x1002));  // inside of an instruction
  CHECK_FALSE(kept.at(0x2000));
  // push %rbp; mov %rsp,%rbp; sub $32,%rsp; mov %rdi,-24(%rbp); call; leave; ret
  const FrameAddresses saved = of({0x55, 0x48, 0x89, 0xE5, 0x48, 0x83, 0xEC, 32, 0x48, 0x89, 0x7D,
                                   0xE8, 0xE8, 0, 0, 0, 0, 0xC9, 0xC3});
  CHECK(saved.at(0x1011) == FrameAddress{.place = Place::Stack, .at = -32});
  // call; ret: it is lost.
  CHECK_FALSE(of({0xE8, 0, 0, 0, 0, 0xC3}).at(0x1005));
}

TEST_CASE("the address of a frame is found where exceptions are caught, in a part elsewhere") {
  // push %rbx; mov %rdi,%rbx; call; pop %rbx; ret; mov %rax,%rdi; jmp 0x800
  const std::vector<uint8_t> bytes = {0x53, 0x48, 0x89, 0xFB, 0xE8, 0,    0,    0,    0,   0x5B,
                                      0xC3, 0x48, 0x89, 0xC7, 0xE9, 0xED, 0xF7, 0xFF, 0xFF};
  // call; mov %rbx,%rdi; xor %ebx,%ebx; call, which does not return
  const std::vector<uint8_t> rest = {0xE8, 0,    0,    0, 0, 0x48, 0x89, 0xDF,
                                     0x31, 0xDB, 0xE8, 0, 0, 0,    0};
  const FrameAddresses both(
      {.address = 0x1000, .bytes = bytes, .rest_address = 0x800, .rest = rest});
  const FrameAddress rbx{.place = Place::Register, .number = 3};
  CHECK(both.at(0x100B) == rbx);
  CHECK(both.at(0x800) == rbx);
  CHECK(both.at(0x805, true) == rbx);
  CHECK(both.at(0x80A) == FrameAddress{.place = Place::Register, .number = 5});
  CHECK_FALSE(both.at(0x80F, true));
  CHECK_FALSE(of(bytes).at(0x800));
}

TEST_CASE("behind a call that does not return there is other code") {
  // push %rbx; mov %rdi,%rbx; test %eax,%eax; jne +7; xor %ebx,%ebx; call; call, which does not
  // return
  const FrameAddresses calls = of({0x53, 0x48, 0x89, 0xFB, 0x85, 0xC0, 0x75, 0x07, 0x31, 0xDB,
                                   0xE8, 0,    0,    0,    0,    0xE8, 0,    0,    0,    0});
  CHECK_FALSE(calls.at(0x1014));
  CHECK_FALSE(calls.at(0x1014, true));
  // push %rbx; mov %rdi,%rbx; call
  const FrameAddresses last = of({0x53, 0x48, 0x89, 0xFB, 0xE8, 0, 0, 0, 0});
  CHECK_FALSE(last.at(0x1009));
  CHECK(last.at(0x1009, true) == FrameAddress{.place = Place::Register, .number = 3});
}

TEST_CASE("a function that creates a coroutine has its frame from a call") {
  // push %rbx; call; mov %rax,%rbx; movq $0x5000,(%rax); call; pop %rbx; ret
  const std::vector<uint8_t> bytes = {0x53, 0xE8, 0, 0, 0,    0, 0x48, 0x89, 0xC3, 0x48, 0xC7, 0x00,
                                      0,    0x50, 0, 0, 0xE8, 0, 0,    0,    0,    0x5B, 0xC3};
  const FrameAddresses created = of(bytes, 0x5000);
  CHECK(created.at(0x1015) == FrameAddress{.place = Place::Register, .number = 3});
  CHECK_FALSE(created.at(0x1006 - 5));  // before the call
  CHECK_FALSE(of(bytes, 0x6000).at(0x1015));
}

TEST_CASE("words of the promise that the code of a coroutine reads") {
  // push %rbx; mov %rdi,%rbx; mov 0x18(%rbx),%rax; mov %rax,0x20(%rbx); mov (%rbx),%rax; ret
  const std::vector<uint8_t> reads = {0x53, 0x48, 0x89, 0xFB, 0x48, 0x8B, 0x43, 0x18,
                                      0x48, 0x89, 0x43, 0x20, 0x48, 0x8B, 0x03, 0xC3};
  const PromiseUse use = promise_use({.address = 0x1000, .bytes = reads});
  CHECK(use.read == 1U << 3);
  CHECK_FALSE(use.is_passed_on);
  // lea 0x10(%rdi),%rdi; call; ret
  const std::vector<uint8_t> passes = {0x48, 0x8D, 0x7F, 0x10, 0xE8, 0, 0, 0, 0, 0xC3};
  const PromiseUse passed = promise_use({.address = 0x1000, .bytes = passes});
  CHECK(passed.read == 0);
  CHECK(passed.is_passed_on);
  // mov %rdi,0x28(%rdi); mov %rdi,%rbx; xor %edi,%edi; call; mov 0x28(%rbx),%rdi; jmp 0x2000
  const std::vector<uint8_t> gives = {0x48, 0x89, 0x7F, 0x28, 0x48, 0x89, 0xFB, 0x31,
                                      0xFF, 0xE8, 0x02, 0x10, 0,    0,    0x48, 0x8B,
                                      0x7B, 0x28, 0xE9, 0xE9, 0x0F, 0,    0};
  CHECK(promise_use({.address = 0x1000, .bytes = gives}).given_to == std::set<uint64_t>{0x2000});
}

}  // namespace skein
