#include "frames/elided_use.h"

#include <doctest/doctest.h>

namespace skein {

namespace {

constexpr uint64_t begin = 0x1000;
constexpr uint64_t resume = 0x2000;
constexpr uint64_t cleanup = 0x2100;
constexpr uint64_t sp = 0x7000;

void add(std::vector<uint8_t>& to, std::vector<uint8_t> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}
void add_number(std::vector<uint8_t>& to, uint64_t target) {
  const auto distance = static_cast<uint32_t>(target - (begin + to.size() + 4));
  for (unsigned i = 0; i < 4; i++) to.push_back(static_cast<uint8_t>(distance >> (8 * i)));
}

// sub $0x38,%rsp; lea RESUME(%rip),%rax; mov %rax,8(%rsp); call; with `behind` it.
struct Function {
  std::vector<uint8_t> code = {0x48, 0x83, 0xEC, 0x38, 0x48, 0x8D, 0x05};
  uint64_t pc = 0;
  explicit Function(const std::vector<uint8_t>& behind) {
    add_number(code, resume);
    add(code, {0x48, 0x89, 0x44, 0x24, 8, 0xE8, 0, 0, 0, 0});
    pc = begin + code.size();
    add(code, behind);
  }
  bool is_used(uint64_t frame = sp + 8, bool is_guess = false) const {
    return is_used_later({.address = begin, .bytes = code},
                         {.pc = pc,
                          .sp = sp,
                          .frame = frame,
                          .coroutine = {.compiler = CoroutineFunction::Compiler::Clang,
                                        .resume = resume,
                                        .end = resume + 0x100,
                                        .cleanup = cleanup},
                          .index = ResumeIndex{.offset = 0x1C, .size = 1},
                          .is_guess = is_guess});
  }
};

const std::vector<uint8_t> leave = {0x48, 0x83, 0xC4, 0x38, 0xC3};  // add $0x38,%rsp; ret

std::vector<uint8_t> then_leave(std::vector<uint8_t> bytes) {
  add(bytes, leave);
  return bytes;
}

}  // namespace

TEST_CASE("a function that will use the coroutine is in its scope") {
  CHECK(Function(then_leave({0x0F, 0xB6, 0x44, 0x24, 0x24})).is_used());   // movzbl 0x24(%rsp),%eax
  CHECK(Function(then_leave({0x48, 0x83, 0x7C, 0x24, 8, 0})).is_used());   // cmpq $0,8(%rsp)
  CHECK(!Function(then_leave({0x0F, 0xB6, 0x44, 0x24, 0x2C})).is_used());  // another byte
  CHECK(!Function(then_leave({0x48, 0x83, 0x7C, 0x24, 8, 0})).is_used(sp + 0x10));  // another frame
  CHECK(!Function(leave).is_used());
  // lea 8(%rsp),%rdi; call CLEANUP
  Function destroys({0x48, 0x8D, 0x7C, 0x24, 8, 0xE8});
  add_number(destroys.code, cleanup);
  add(destroys.code, leave);
  CHECK(destroys.is_used());
}

TEST_CASE("a function that creates the coroutine again has left the one before") {
  // mov %rax,8(%rsp); cmpq $0,8(%rsp)
  CHECK(!Function(then_leave({0x48, 0x89, 0x44, 0x24, 8, 0x48, 0x83, 0x7C, 0x24, 8, 0})).is_used());
  // movq $0,8(%rsp), at its end, creates none.
  CHECK(Function(then_leave({0x48, 0xC7, 0x44, 0x24, 8, 0, 0, 0, 0, 0x48, 0x83, 0x7C, 0x24, 8, 0}))
            .is_used());
}

TEST_CASE("code for exceptions behind a call that does not return is no evidence") {
  // mov %rax,%rbx; cmpq $0,8(%rsp)
  CHECK(!Function(then_leave({0x48, 0x89, 0xC3, 0x48, 0x83, 0x7C, 0x24, 8, 0})).is_used());
}

TEST_CASE("without names, the frame must be used like that of a coroutine") {
  const std::vector<uint8_t> compares = then_leave({0x48, 0x83, 0x7C, 0x24, 8, 0});
  CHECK(!Function(compares).is_used(sp + 8, true));
  std::vector<uint8_t> stores = {0xC6, 0x44, 0x24, 0x24, 1};  // movb $1,0x24(%rsp), the number
  add(stores, compares);
  CHECK(Function(stores).is_used(sp + 8, true));
}

}  // namespace skein
