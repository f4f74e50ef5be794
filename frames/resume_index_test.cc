#include "frames/resume_index.h"

#include <doctest/doctest.h>

#include <vector>

using namespace skein;

namespace {

int64_t in_destroy(std::vector<uint8_t> code) {
  const auto index = index_in_destroy(code);
  return index ? static_cast<int64_t>(index->offset) : -1;
}
int64_t in_resume(std::vector<uint8_t> code) {
  const auto index = index_in_resume(code);
  return index ? static_cast<int64_t>(index->offset) : -1;
}

}  // namespace

TEST_CASE("g++ sets the lowest bit of the number") {
  CHECK(in_destroy({0x66, 0x83, 0x4F, 0x2C, 0x01, 0xE9}) == 0x2C);  // orw $1,0x2c(%rdi)
  CHECK(in_destroy({0x66, 0x83, 0x8F, 0x2C, 0x01, 0, 0, 0x01}) == 0x12C);
  CHECK(in_destroy({0x66, 0x83, 0x4F, 0x2C, 0x02}) == -1);  // another bit
  // movzwl 0x2c(%rax),%eax; or $1,%eax
  CHECK(in_destroy({0x0F, 0xB7, 0x40, 0x2C, 0x83, 0xC8, 0x01}) == 0x2C);
  CHECK(in_destroy({0x66, 0x83, 0x8F, 0x2C, 0x01}) == -1);  // cut short
  CHECK(in_destroy({}) == -1);
}

TEST_CASE("clang reads the number first") {
  CHECK(in_resume({0x53, 0x0F, 0xB6, 0x47, 0x34, 0xC3}) == 0x34);  // movzbl 0x34(%rdi),%eax
  CHECK(in_resume({0x80, 0x7F, 0x1C, 0x00}) == 0x1C);              // cmpb $0,0x1c(%rdi)
  CHECK(in_resume({0x8A, 0x47, 0x34, 0xC3}) == 0x34);              // mov 0x34(%rdi),%al
  CHECK(in_resume({0x0F, 0xB6, 0x47, 0x08, 0xC3}) == -1);          // in the frame's header
  CHECK(in_resume({0x0F, 0xB6}) == -1);
}

TEST_CASE("the number of a coroutine of clang's that waits at one place") {
  // At 0x1000: lea 0x100(%rip),%rax; mov %rax,(%rbx); movb $0,0x10(%r14); movb $0,0x11(%rbx); ret
  std::vector<uint8_t> code = {0xE8, 0, 0, 0, 0, 0x48, 0x89, 0xC3, 0x48, 0x8D, 0x05, 0, 1, 0, 0, 0x48, 0x89, 0x03,
                               0x41, 0xC6, 0x46, 0x10, 0, 0xC6, 0x43, 0x11, 0, 0xC3};
  const auto found = [](std::span<const uint8_t> bytes, uint64_t address, uint64_t creates,
                        uint64_t least = 16) {
    return index_in_creation({.address = address, .bytes = bytes, .creates = creates}, least);
  };
  const auto index = found(code, 0x1000, 0x110F);
  REQUIRE(index);
  CHECK(index->offset == 0x11);
  CHECK(index->size == 1);
  CHECK_FALSE(found(code, 0x1000, 0x1110));
  for (size_t size = 0; size < 27; size++)
    CHECK_FALSE(found(std::span(code).first(size), 0x1000, 0x110F));
  code.insert(code.begin() + 27, {0xC6, 0x43, 0x12, 0});  // another byte of the frame
  CHECK_FALSE(found(code, 0x1000, 0x110F));
  CHECK(found(code, 0x1000, 0x110F, 0x12)->offset == 0x12);  // the other one is in the promise
  CHECK_FALSE(found(code, 0x1000, 0x110F, 0x13));
  // In the register of the frame there is another one later: call; mov %rax,%rbx; movb $0,0x12(%rbx)
  std::vector<uint8_t> reused(code.begin(), code.begin() + 27);
  reused.insert(reused.end(), {0xE8, 0, 0, 0, 0, 0x48, 0x89, 0xC3, 0xC6, 0x43, 0x12, 0, 0xC3});
  CHECK(found(reused, 0x1000, 0x110F)->offset == 0x11);
  // The code that resumes the coroutine reads the other one: movzbl 0x11(%rdi),%eax; ret
  const std::vector<uint8_t> reads = {0x0F, 0xB6, 0x47, 0x11, 0xC3};
  const auto unread = [&](std::span<const uint8_t> bytes) {
    return index_in_creation({.address = 0x1000, .bytes = bytes, .creates = 0x110F}, 16,
                             {.address = 0x110F, .bytes = reads, .has_frame = true});
  };
  REQUIRE(unread(code));
  CHECK(unread(code)->offset == 0x12);
  // xor %ecx,%ecx; mov %cl,0x14(%rbx); movw $0,0x11(%rbx): from a register, and two bytes at once
  std::vector<uint8_t> wide(code.begin(), code.begin() + 18);
  wide.insert(wide.end(), {0x31, 0xC9, 0x88, 0x4B, 0x14, 0xC3});
  CHECK(unread(wide)->offset == 0x14);
  wide.resize(18);
  wide.insert(wide.end(), {0x66, 0xC7, 0x43, 0x11, 0, 0, 0xC3});
  CHECK(unread(wide)->offset == 0x12);
  wide[21] = 0x13;
  CHECK(unread(wide)->offset == 0x13);  // neither is read
  // movq $0x1107,(%rax), not relative; movb $0,0x11(%rax)
  CHECK(found(std::vector<uint8_t>{0xE8, 0, 0, 0, 0, 0x48, 0xC7, 0x00, 0x07, 0x11, 0, 0, 0xC6, 0x40, 0x11, 0}, 0,
              0x1107));
  // The same, and a byte that is no instruction.
  CHECK(found(std::vector<uint8_t>{0xE8, 0, 0, 0, 0, 0x48, 0xC7, 0x03, 0x07, 0x11, 0, 0, 0xC6, 0x43, 0x11, 0, 0x06},
              0, 0x1107));
}

TEST_CASE("the number in code that a sanitizer checks") {
  // push %rbx; mov %rdi,%rbx; lea 0x18(%rdi),%r14; mov %r14,%rax; shr $3,%rax;
  // movzbl 0x7fff8000(%rax),%eax; movzbl (%r14),%ebp; movb $1,0x18(%rbx)
  const std::vector<uint8_t> code = {0x53, 0x48, 0x89, 0xFB, 0x4C, 0x8D, 0x77, 0x18, 0x4C, 0x89,
                                     0xF0, 0x48, 0xC1, 0xE8, 3,    0x0F, 0xB6, 0x80, 0,    0x80,
                                     0xFF, 0x7F, 0x41, 0x0F, 0xB6, 0x2E, 0xC6, 0x43, 0x18, 1};
  const auto clang = CoroutineFunction::Compiler::Clang;
  const Code all{.address = 0, .bytes = code};
  const auto index = index_that_is_followed(all, all, clang);
  REQUIRE(index);
  CHECK(index->offset == 0x18);
  CHECK(index->size == 1);
  // Nothing is stored there.
  const Code reading = {.address = 0, .bytes = std::span(code).first(code.size() - 4)};
  CHECK_FALSE(index_that_is_followed(reading, reading, clang));
  // movzbl 0x7fff8000(%rdi),%eax; movzbl 0x1c(%r15),%eax: no numbers of a frame.
  CHECK(in_resume({0x0F, 0xB6, 0x87, 0, 0x80, 0xFF, 0x7F}) == -1);
  CHECK(in_resume({0x41, 0x0F, 0xB6, 0x47, 0x1C}) == -1);
}

TEST_CASE("g++ numbers awaiters by their points") {
  CHECK(is_awaiter_of_point("Aw0", first_point_of_gcc + 2));
  CHECK(is_awaiter_of_point("Aw1", first_point_of_gcc + 4));
  CHECK_FALSE(is_awaiter_of_point("Aw1", first_point_of_gcc + 2));
  CHECK_FALSE(is_awaiter_of_point("Aw0", first_point_of_gcc));
}
