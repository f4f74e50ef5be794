// The set of coroutines' functions, in coroutine.h.
#include <doctest/doctest.h>
#include <skein/coroutine.h>

#include <memory>

TEST_CASE("the functions of a kernel, in the upper half of the address space, are found") {
  const auto set = std::make_unique<skein::__detail::__word_set<skein::__detail::_KOffsetBits>>();
  constexpr uint64_t kernel = 0xFFFFFFFF80101230, program = 0x0000555555554320;
  constexpr uint64_t offset = 7;
  set->__add(kernel << skein::__detail::_KOffsetBits | offset);
  set->__add(program << skein::__detail::_KOffsetBits | (offset + 1));
  CHECK(set->__find(kernel) == (kernel << skein::__detail::_KOffsetBits | offset));
  CHECK(set->__find(program) == (program << skein::__detail::_KOffsetBits | (offset + 1)));
  CHECK(set->__find(kernel + 16) == 0);
}
