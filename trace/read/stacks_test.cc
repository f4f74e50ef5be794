#include "trace/read/stacks.h"

#include <doctest/doctest.h>

#include <array>

using namespace skein;

TEST_CASE("frames may be set after the stack is added") {
  Stacks stacks;
  const uint32_t far = stacks.add(UINT64_MAX);
  const uint32_t near = stacks.add(3);
  CHECK(far != near);
  CHECK(stacks.size() == 2);
  CHECK(stacks.number(far) == UINT64_MAX);
  CHECK(stacks.frames(far).empty());

  const std::array<StackFrame, 2> frames = {StackFrame{.address = 0x1000, .function = 5},
                                            StackFrame{}};
  stacks.set_frames(near, frames);
  stacks.set_frames(far, std::span(frames).first(1));
  REQUIRE(stacks.frames(near).size() == 2);
  CHECK(stacks.frames(near)[0].address == 0x1000);
  CHECK(stacks.frames(near)[0].function == 5);
  CHECK(stacks.frames(far).size() == 1);
}

TEST_CASE("a stack that does not exist has its index as number, and no frames") {
  const Stacks stacks;
  CHECK(stacks.number(12) == 12);
  CHECK(stacks.frames(12).empty());
}
