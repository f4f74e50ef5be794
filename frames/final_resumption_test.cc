#include "frames/final_resumption.h"

#include <doctest/doctest.h>

#include <vector>

namespace skein {

namespace {

using Answer = FinalResumption::Answer;

FinalResumption of(const std::vector<uint8_t>& bytes) {
  return FinalResumption({.address = 0x1000, .bytes = bytes, .has_frame = true}, {});
}

}  // namespace

TEST_CASE("a coroutine resumes what its promise has, when it ends") {
  // movq $0,(%rdi); mov 16(%rdi),%rdi; jmp *(%rdi)
  const FinalResumption jumps =
      of({0x48, 0xC7, 0x07, 0, 0, 0, 0, 0x48, 0x8B, 0x7F, 16, 0xFF, 0x27});
  CHECK(jumps.resumes(16) == Answer::Yes);
  CHECK(jumps.resumes(24) == Answer::No);
  CHECK(jumps.resumes(8 * 32) == Answer::Unknown);
  // mov 64(%rdi),%rax; movq $0,(%rdi); mov 24(%rax),%rdi; mov (%rdi),%rax; jmp *%rax: by g++
  CHECK(of({0x48, 0x8B, 0x47, 64,   0x48, 0xC7, 0x07, 0,    0,    0,
            0,    0x48, 0x8B, 0x78, 24,   0x48, 0x8B, 0x07, 0xFF, 0xE0})
            .resumes(24) == Answer::Yes);
  // movq $0,(%rdi); mov 24(%rdi),%rax; test %rax,%rax; lea 0(%rip),%rdi; cmovne %rax,%rdi;
  // jmp *(%rdi): by clang
  CHECK(of({0x48, 0xC7, 0x07, 0, 0, 0, 0, 0x48, 0x8B, 0x47, 24,   0x48, 0x85, 0xC0,
            0x48, 0x8D, 0x3D, 0, 0, 0, 0, 0x48, 0x0F, 0x45, 0xF8, 0xFF, 0x27})
            .resumes(24) == Answer::Yes);
}

TEST_CASE("what it resumes before it ends, or destroys, is not known to be its continuation") {
  // mov 16(%rdi),%rdi; jmp *(%rdi)
  CHECK(of({0x48, 0x8B, 0x7F, 16, 0xFF, 0x27}).resumes(16) == Answer::Unknown);
  // movq $0,(%rdi); mov 16(%rdi),%rdi; jmp *8(%rdi)
  CHECK(of({0x48, 0xC7, 0x07, 0, 0, 0, 0, 0x48, 0x8B, 0x7F, 16, 0xFF, 0x67, 8}).resumes(16) ==
        Answer::Unknown);
  // movq $0,(%rdi); mov 16(%rdi),%rax; ret
  CHECK(of({0x48, 0xC7, 0x07, 0, 0, 0, 0, 0x48, 0x8B, 0x47, 16, 0xC3}).resumes(16) ==
        Answer::Unknown);
  // movq $0,(%rsi); mov 16(%rdi),%rdi; jmp *(%rdi): not its own
  CHECK(of({0x48, 0xC7, 0x06, 0, 0, 0, 0, 0x48, 0x8B, 0x7F, 16, 0xFF, 0x27}).resumes(16) ==
        Answer::Unknown);
}

TEST_CASE("it has one continuation") {
  // mov 16(%rsi),%rax; movq $0,(%rdi); mov 24(%rdi),%rdi; jmp *(%rdi)
  const FinalResumption other =
      of({0x48, 0x8B, 0x46, 16, 0x48, 0xC7, 0x07, 0, 0, 0, 0, 0x48, 0x8B, 0x7F, 24, 0xFF, 0x27});
  CHECK(other.resumes(24) == Answer::Yes);
  CHECK(other.resumes(16) == Answer::No);
  // mov 16(%rsi),%rax; movq $0,(%rdi); ret
  CHECK(of({0x48, 0x8B, 0x46, 16, 0x48, 0xC7, 0x07, 0, 0, 0, 0, 0xC3}).resumes(16) ==
        Answer::Unknown);
}

TEST_CASE("what it never reads is no continuation, unless another function may") {
  // movq $0,(%rdi); ret
  CHECK(of({0x48, 0xC7, 0x07, 0, 0, 0, 0, 0xC3}).resumes(16) == Answer::No);
  // movq $0,(%rdi); call; ret
  CHECK(of({0x48, 0xC7, 0x07, 0, 0, 0, 0, 0xE8, 0, 0, 0, 0, 0xC3}).resumes(16) == Answer::Unknown);
  // lea 16(%rdi),%rdi; call; ret: without an end
  CHECK(of({0x48, 0x8D, 0x7F, 16, 0xE8, 0, 0, 0, 0, 0xC3}).resumes(16) == Answer::Unknown);
  CHECK(of({}).resumes(16) == Answer::Unknown);
}

}  // namespace skein
