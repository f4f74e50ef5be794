#include "frames/frame_size.h"

#include <algorithm>
#include <vector>

#include "frames/register_flow.h"

namespace skein {

namespace {

using Base = RegisterFlow::Base;
constexpr uint64_t header = 16;
constexpr int64_t largest = 1 << 28;

}  // namespace

uint64_t least_size(const Code& code) {
  uint64_t size = header;
  RegisterFlow(code).visit([&](const Instruction& one, const RegisterFlow::State& before) {
    const RegisterFlow::Value address = before.address(one);
    if (address.base != Base::Parameter || address.offset < 0 || address.offset > largest) return;
    size = std::max(size, static_cast<uint64_t>(address.offset) + access_size(one));
  });
  return size;
}

uint64_t size_in_creation(const Code& code) {
  constexpr size_t rdi = 7;
  if (code.creates == 0) return 0;
  const RegisterFlow flow(code);
  const std::vector<RegisterFlow::Value> frames = frames_of(code, flow);
  uint64_t size = 0;
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    const auto is_frame = [&](const RegisterFlow::Value& frame) {
      return frame.base == Base::Result && frame.offset == 0 && frame.origin == one.address;
    };
    const RegisterFlow::Value& passed = before.registers[rdi];
    if (one.flow == Instruction::Flow::Call && passed.base == Base::Number && passed.offset > 0 &&
        passed.offset <= largest && std::any_of(frames.begin(), frames.end(), is_frame))
      size = std::max(size, static_cast<uint64_t>(passed.offset));
  });
  return size < header ? 0 : size;
}

}  // namespace skein
