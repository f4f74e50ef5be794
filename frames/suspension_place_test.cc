#include "frames/suspension_place.h"

#include <doctest/doctest.h>

#include <vector>

using namespace skein;
using enum CoroutineFunction::Compiler;

namespace {

// The offset of the store in `code`, or -1.
int64_t found(std::vector<uint8_t> code, CoroutineFunction::Compiler compiler, uint64_t offset,
              uint32_t point) {
  for (const Store& store : find_stores({.address = 0x1000, .bytes = code}, compiler, offset))
    if (store.point == point) return static_cast<int64_t>(store.begin) - 0x1000;
  return -1;
}

}  // namespace

TEST_CASE("stores of g++") {
  const std::vector<uint8_t> code = {0x90, 0x66, 0xC7, 0x43, 0x2C, 0x04, 0x00,   // $4,0x2c(%rbx)
                                     0x66, 0xC7, 0x43, 0x2C, 0x06, 0x00, 0xE8};  // $6
  CHECK(found(code, Gcc, 0x2C, 4) == 1);
  CHECK(found(code, Gcc, 0x2C, 6) == 7);
  CHECK(found(code, Gcc, 0x2C, 8) == -1);
  CHECK(found(code, Gcc, 0x2E, 4) == -1);
  // mov $4,%eax; mov %ax,0x2c(%rbx): the value is that of the register.
  const std::vector<uint8_t> by_register = {0xB8, 4, 0, 0, 0, 0x66, 0x89, 0x43, 0x2C};
  CHECK(found(by_register, Gcc, 0x2C, 4) == 5);
  CHECK(found(by_register, Gcc, 0x2C, 6) == -1);
  // r12 as the base needs a SIB byte: movw $4,0x2c(%r12).
  CHECK(found({0x66, 0x41, 0xC7, 0x44, 0x24, 0x2C, 4, 0}, Gcc, 0x2C, 4) == 0);
  CHECK(found({0x66, 0xC7, 0x83, 0x2C, 0x01, 0, 0, 4, 0}, Gcc, 0x12C, 4) == 0);
}

TEST_CASE("stores of clang") {
  CHECK(found({0xC6, 0x43, 0x34, 0x02}, Clang, 0x34, 2) == 0);  // movb $2,0x34(%rbx)
  CHECK(found({0xC6, 0x43, 0x34, 0x02}, Clang, 0x34, 1) == -1);
  CHECK(found({0xC6, 0x43, 0x34}, Clang, 0x34, 2) == -1);
}

TEST_CASE("stores of clang that have the bytes beside the number, too") {
  const std::vector<uint8_t> one = {0xC6, 0x43, 0x1C, 0x03};  // movb $3,0x1c(%rbx)
  const auto with = [&](std::vector<uint8_t> code) {
    code.insert(code.end(), one.begin(), one.end());
    return code;
  };
  CHECK(found(with({0x66, 0xC7, 0x43, 0x1C, 2, 0}), Clang, 0x1C, 2) == 0);        // movw
  CHECK(found(with({0x66, 0xC7, 0x43, 0x1B, 0, 2}), Clang, 0x1C, 2) == 0);        // one before
  CHECK(found(with({0xC7, 0x43, 0x1A, 0, 0, 2, 0}), Clang, 0x1C, 2) == 0);        // movl
  CHECK(found(with({0x48, 0xC7, 0x43, 0x16, 0, 0, 0, 0}), Clang, 0x1C, 0) == 0);  // movq
  CHECK(found(with({0x66, 0xC7, 0x43, 0x1D, 2, 0}), Clang, 0x1C, 2) == -1);       // behind
  CHECK(found(with({0x66, 0xC7, 0x40, 0x1C, 2, 0}), Clang, 0x1C, 2) == -1);       // of rax
  CHECK(found({0x66, 0xC7, 0x43, 0x1C, 2, 0}, Clang, 0x1C, 2) ==
        -1);  // no other shows the register
  // push %rbx; mov %rdi,%rbx; movw $2,0x1c(%rbx)
  const std::vector<uint8_t> resume = {0x53, 0x48, 0x89, 0xFB, 0x66, 0xC7, 0x43, 0x1C, 2, 0};
  CHECK(find_stores({.address = 0, .bytes = resume, .has_frame = true}, Clang, 0x1C).size() == 1);
  CHECK(find_stores({.address = 0, .bytes = resume}, Clang, 0x1C).empty());
  for (size_t size = 0; size < 7; size++) {
    std::vector<uint8_t> code = one;
    const uint8_t cut[] = {0xC7, 0x43, 0x1A, 0, 0, 2, 0};
    code.insert(code.end(), cut, cut + size);
    CHECK(found(code, Clang, 0x1C, 2) == -1);
  }
}

TEST_CASE("stores by the address of another part of the frame") {
  // push %rbx; lea 0x50(%rdi),%rbx; call; mov $4,%eax; movw $6,-0x12(%rbx); mov %ax,-0x12(%rbx)
  const std::vector<uint8_t> code = {0x53, 0x48, 0x8D, 0x5F, 0x50, 0xE8, 0, 0, 0, 0, 0xB8, 4, 0, 0, 0,
                                     0x66, 0xC7, 0x43, 0xEE, 6, 0, 0x66, 0x89, 0x43, 0xEE};
  CHECK(find_stores({.address = 0, .bytes = code, .has_frame = true}, Gcc, 0x3E).empty());
  const auto stores = follow_stores({.address = 0, .bytes = code, .has_frame = true}, Gcc, 0x3E);
  REQUIRE(stores.size() == 2);
  CHECK(stores[0].begin == 15);
  CHECK(stores[0].point == 6);
  CHECK(stores[1].point == 4);
  CHECK(follow_stores({.address = 0, .bytes = code}, Gcc, 0x40).empty());
  // mov (%rdi),%rbx; movw $4,-0x12(%rbx): of something else.
  CHECK(follow_stores({.address = 0, .bytes = std::vector<uint8_t>{0x48, 0x8B, 0x1F, 0x66, 0xC7, 0x43, 0xEE, 4, 0}},
                      Gcc, 0x3E).empty());
}

TEST_CASE("code that is cut short anywhere") {
  const std::vector<uint8_t> code = {0x66, 0x41, 0xC7, 0x84, 0x24, 0x2C, 1, 0, 0, 4, 0};
  for (size_t size = 0; size < code.size(); size++)
    CHECK(found({code.begin(), code.begin() + static_cast<int64_t>(size)}, Gcc, 0x12C, 4) == -1);
}

TEST_CASE("the type of a member function") {
  CHECK(type_of_member("_ZN4coro5event7awaiter13await_suspendENSt7__n486116coroutine_handleIvEE") ==
        "coro::event::awaiter");
  CHECK(type_of_member(
            "_ZN12_GLOBAL__N_15Event13await_suspendENSt7__n486116coroutine_handleIvEE") == "Event");
  CHECK(type_of_member("_ZN4Task13await_suspendI7PromiseEEbNSt7__n486116coroutine_handleIT_EE") ==
        "Task");
  CHECK(type_of_member("_ZZN2ns1fEivEN5Event13await_suspendENSt7__n486116coroutine_handleIvEE") ==
        "ns::f::Event");
  CHECK(type_of_member("main") == "");
  CHECK(type_of_member("") == "");
  CHECK(type_of_member("_ZN2ns7awaiterIiE13await_suspendIiEEDcNSt7__n486116coroutine_handleIvEE") ==
        "ns::awaiter");                                       // decltype(auto)
  CHECK(type_of_member("_ZN2nsUt_11await_readyEv") != "ns");  // of a class without a name
}

TEST_CASE("a function that has the name of a member in its signature is none") {
  // app::Pause& app::detail::counted<app::Pause>(app::Pause&, decltype (({parm#1}.await_ready)())*)
  const char* const other = "_ZN3app6detail7countedINS_5PauseEEERT_S4_PDTcldtfL0p_11await_readyEE";
  CHECK(type_of_member(other) == "app::detail");  // a namespace
  CHECK_FALSE(is_member(other, "await_ready"));
  CHECK_FALSE(is_member("await_ready", "await_ready"));
  CHECK(is_member("_ZNK3app5Pause11await_readyEv", "await_ready"));
  CHECK(is_member("_ZNK3app5Pause11await_readyEv.isra.0", "await_ready"));
  CHECK_FALSE(is_member("_ZNK3app5Pause11await_readyEv", "await_suspend"));
}
