// The functions that a thread of the target is in, from its registers and its stack.
//
//   CallStacks stacks(target, memory);
//   for (const CallStacks::Call& call : stacks.of(thread.registers).calls) print(call.pc);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "frames/memory_cache.h"
#include "profile/unwind/modules.h"
#include "target/target.h"

namespace skein {

class CallStacks {
 public:
  struct Call {
    // The next instruction of the innermost function, and of one that a signal has interrupted;
    // else a return address.
    uint64_t pc = 0;
    uint64_t begin = 0;        // of its part of the stack
    uint64_t end = 0;          // 0: unknown
    bool is_return = false;    // pc is a return address: the call is before it
    Registers registers = {};  // those that are known
    // In the function, also if the call is its last instruction.
    uint64_t instruction() const { return pc - (is_return ? 1 : 0); }
  };
  struct Stack {
    std::vector<Call> calls = {};  // the innermost first
    bool is_complete = false;      // up to the first function of the thread
  };

  // Both must outlive it. Files are read when a stack needs them.
  CallStacks(const Target& target, MemoryCache& memory)
      : target_(target), memory_(memory), tables_(DebugFilePlaces::of_this_user(target.root())) {}

  // Of x86-64; of a thread that is not stopped pc and sp are enough if its innermost functions keep
  // the rest on the stack, as those of glibc do that wait. At most 1000 calls.
  Stack of(const Registers& registers);

 private:
  struct Module {
    std::shared_ptr<const UnwindTable> table = {};  // null: none
    uint64_t bias = 0;
  };
  const Module* module_of(uint64_t address);
  enum class Fit : uint8_t { No, Possible, Certain };
  Fit fit(uint64_t address, uint64_t instruction);
  bool is_code(uint64_t address) const;
  bool has_frame_pointer(uint64_t function);
  std::optional<uint64_t> usual_frame_pointer(uint64_t instruction, uint64_t top);
  bool is_in_function_at(uint64_t function, uint64_t instruction);
  void walk(Registers at, bool is_return, Stack& stack, bool may_guess);
  void guess_frame_pointer(const Registers& at, bool is_return, Stack& stack);

  const Target& target_;
  MemoryCache& memory_;
  UnwindTables tables_;
  std::map<uint64_t, Module> modules_ = {};  // by the begin of a mapping
};

}  // namespace skein
