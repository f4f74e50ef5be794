#include "frames/final_resumption.h"

#include <doctest/doctest.h>

#include <vector>

namespace skein {

namespace {

std::vector<uint32_t> of(const std::vector<uint8_t>& bytes) {
  return resumed_at_end({.address = 0x1000, .bytes = bytes, .has_frame = true});
}

}  // namespace

TEST_CASE("a coroutine resumes what its promise has, when it ends") {
  // movq $0,(%rdi); mov 16(%rdi),%rdi; jmp *(%rdi)
  CHECK(of({0x48, 0xC7, 0x07, 0, 0, 0, 0, 0x48, 0x8B, 0x7F, 16, 0xFF, 0x27}) ==
        std::vector<uint32_t>{16});
  // mov 64(%rdi),%rax; movq $0,(%rdi); mov 24(%rax),%rdi; mov (%rdi),%rax; jmp *%rax: by g++
  CHECK(of({0x48, 0x8B, 0x47, 64,   0x48, 0xC7, 0x07, 0,    0,    0,
            0,    0x48, 0x8B, 0x78, 24,   0x48, 0x8B, 0x07, 0xFF, 0xE0}) ==
        std::vector<uint32_t>{24});
}

TEST_CASE("what it resumes before it ends, or destroys, is no continuation") {
  // mov 16(%rdi),%rdi; jmp *(%rdi)
  CHECK(of({0x48, 0x8B, 0x7F, 16, 0xFF, 0x27}).empty());
  // movq $0,(%rdi); mov 16(%rdi),%rdi; jmp *8(%rdi)
  CHECK(of({0x48, 0xC7, 0x07, 0, 0, 0, 0, 0x48, 0x8B, 0x7F, 16, 0xFF, 0x67, 8}).empty());
  // movq $0,(%rdi); mov 16(%rdi),%rax; ret
  CHECK(of({0x48, 0xC7, 0x07, 0, 0, 0, 0, 0x48, 0x8B, 0x47, 16, 0xC3}).empty());
  // movq $0,(%rsi); mov 16(%rdi),%rdi; jmp *(%rdi): not its own
  CHECK(of({0x48, 0xC7, 0x06, 0, 0, 0, 0, 0x48, 0x8B, 0x7F, 16, 0xFF, 0x27}).empty());
}

}  // namespace skein
