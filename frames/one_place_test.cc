#include "frames/one_place.h"

#include <doctest/doctest.h>

#include <vector>

using namespace skein;

TEST_CASE("the number that is stored where a coroutine ends") {
  // movb $1,0x12(%rdi); movq $0,(%rdi); movb $2,0x14(%rdi); ret
  const std::vector<uint8_t> code = {0xC6, 0x47, 0x12, 1,    0x48, 0xC7, 0x07, 0,
                                     0,    0,    0,    0xC6, 0x47, 0x14, 2,    0xC3};
  const auto index = index_at_end({.bytes = code}, 0x11);
  REQUIRE(index);
  CHECK(index->offset == 0x14);
  CHECK(index->size == 1);
  CHECK_FALSE(index_at_end({.bytes = code}, 0x15));  // of the promise
  for (size_t size = 0; size < 15; size++)
    CHECK_FALSE(index_at_end({.bytes = std::span(code).first(size)}, 0x11));
  // movq $0,(%rdi); movw $0x101,0x10(%rdi): the byte before is of the promise.
  const std::vector<uint8_t> wide = {0x48, 0xC7, 0x07, 0, 0, 0, 0, 0x66, 0xC7, 0x47, 0x10, 1, 1};
  REQUIRE(index_at_end({.bytes = wide}, 0x11));
  CHECK(index_at_end({.bytes = wide}, 0x11)->offset == 0x11);
  CHECK_FALSE(index_at_end({.bytes = wide}, 0x10));
  // Another one: movq $0,(%rdi); movb $1,0x18(%rdi)
  std::vector<uint8_t> both(code.begin(), code.end() - 1);
  both.insert(both.end(), {0x48, 0xC7, 0x07, 0, 0, 0, 0, 0xC6, 0x47, 0x18, 1});
  CHECK_FALSE(index_at_end({.bytes = both}, 0x11));
}

TEST_CASE("bytes 0 that are stored in a frame") {
  // movb $0,0x11(%rdi); movb $1,0x12(%rdi); movb $0,0x13(%rsi)
  const std::vector<uint8_t> resume = {0xC6, 0x47, 0x11, 0,    0xC6, 0x47,
                                       0x12, 1,    0xC6, 0x46, 0x13, 0};
  const auto stores = zero_stores({.address = 0x1000, .bytes = resume});
  REQUIRE(stores.size() == 1);
  CHECK(stores[0].address == 0x1000);
  CHECK(stores[0].offset == 0x11);
  // lea 0x100(%rip),%rsi; mov %rsi,8(%rax,%rcx,1); movb $0,0x19(%rax,%rcx,1); movb
  // $0,0x19(%rax,%rdx,1)
  const std::vector<uint8_t> creates = {0x48, 0x8D, 0x35, 0,    1,    0,    0,    0x48,
                                        0x89, 0x74, 0x08, 8,    0xC6, 0x44, 0x08, 0x19,
                                        0,    0xC6, 0x44, 0x10, 0x19, 0};
  const auto others = zero_stores({.address = 0x1000, .bytes = creates, .creates = 0x1107});
  REQUIRE(others.size() == 1);
  CHECK(others[0].address == 0x100C);
  CHECK(others[0].offset == 0x11);
  for (size_t size = 0; size < creates.size(); size++)
    CHECK(
        zero_stores({.address = 0x1000, .bytes = std::span(creates).first(size), .creates = 0x1107})
            .size() <= 1);
}
