// Which registers and parts of the stack have addresses that are known relative to the parameter of
// a function, to the stack, or to the result of a call, at each instruction, on every path that leads
// there.
//
//   RegisterFlow flow(code);
//   flow.visit([](const Instruction& one, const RegisterFlow::State& before) {
//     if (before.address(one).base == RegisterFlow::Base::Parameter) ...
//   });
//
// A register that a callee may have changed, or that has the caller's value, is not read: where
// paths join, the others' values count. So code behind calls that do not return spoils little.
// Callees are taken to leave the parts of the stack that have such addresses as they are, and not
// to be the caller's. A block that no path leads to is taken for one that catches exceptions of any
// call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "frames/control_flow.h"
#include "frames/instruction.h"
#include "frames/resume_point.h"

namespace skein {

class RegisterFlow {
 public:
  enum class Base : uint8_t {
    Unknown,
    Undefined,  // not to be read by a function: left by a callee, or its caller's
    Number,     // 0
    Parameter,  // what rdi has at the beginning
    Stack,      // what rsp has at the beginning
    Aligned,    // the same, rounded down
    Result,     // what the call at `origin` has returned in rax, at some time
  };
  struct Value {
    Base base = Base::Unknown;
    int64_t offset = 0;
    uint64_t origin = 0;
    bool is_known() const { return base > Base::Undefined; }
    bool operator==(const Value&) const = default;
  };
  struct State {
    std::array<Value, 16> registers = {};
    std::map<std::pair<Base, int64_t>, Value> stack = {};
    // Of the memory operand; unknown if there is none.
    Value address(const Instruction& one) const;
    // What `mov` takes from the operand of an instruction that reads 8 bytes.
    Value loaded(const Instruction& one) const;
    bool operator==(const State&) const = default;
  };
  enum class Registers : uint8_t {
    Read,  // as above
    All,   // also of those that are not read: what they have on every path. What is read behind a
           // call without having been written there, the callee has left as it was (-fipa-ra)
  };
  // Of a whole function. A jump by a table that cannot be read may lead to any block. O(bytes), a
  // few times.
  explicit RegisterFlow(const Code& code, Registers registers = Registers::Read);

  std::span<const Instruction> instructions() const { return flow_.instructions(); }
  // Whether all bytes were understood. If not, what is known of jumps may be wrong.
  bool is_complete() const { return flow_.is_complete() && is_followed_; }
  // In the order of their addresses; those that nothing leads to are left out, if nothing is called.
  void visit(const std::function<void(const Instruction& one, const State& before)>& visitor) const;
  // The number of the instruction at an address. O(log instructions).
  std::optional<size_t> find(uint64_t address) const { return flow_.find(address); }
  // Where the flow goes on, by numbers of instructions. Jumps by a table: only known targets.
  std::vector<size_t> successors(size_t instruction) const { return flow_.successors(instruction); }

 private:
  struct Block {
    size_t first = 0;
    size_t end = 0;  // of its instructions, plus 1
    std::optional<State> before = {};
  };
  void divide();
  std::optional<State> behind_any_call() const;
  void run();
  size_t block_of(size_t instruction) const;
  void apply(const Instruction& one, State& state) const;
  void find_kept();

  Value not_read_ = {Base::Undefined};
  ControlFlow flow_;
  std::vector<Block> blocks_ = {};
  bool is_followed_ = true;
  std::map<uint64_t, uint16_t> kept_ = {};  // by the address of a call, registers that it leaves
};

// The frames that a coroutine's code has: the parameter of the one that resumes it, or those at whose
// beginning the one that creates it stores the address of the other. O(bytes).
std::vector<RegisterFlow::Value> frames_of(const Code& code, const RegisterFlow& flow);

}  // namespace skein
