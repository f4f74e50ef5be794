// The functions that a thread of the target is in, from its registers and its stack.
//
//   CallStacks stacks(target, memory);
//   for (const CallStacks::Call& call : stacks.of(thread.registers).calls) print(call.pc);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frames/call_frames.h"
#include "frames/memory_cache.h"
#include "target/target.h"

namespace skein {

class CallStacks {
 public:
  struct Call {
    uint64_t pc = 0;     // of the innermost function the next instruction, else a return address
    uint64_t begin = 0;  // of its part of the stack
    uint64_t end = 0;    // 0: unknown
    Registers registers = {};  // those that are known
  };
  struct Stack {
    std::vector<Call> calls = {};  // the innermost first
    bool is_complete = false;      // up to the first function of the thread
  };

  // Both must outlive it. Files are read when a stack needs them.
  CallStacks(const Target& target, MemoryCache& memory) : target_(target), memory_(memory) {}

  // Of x86-64; of a thread that is not stopped pc and sp are enough if its innermost functions keep
  // the rest on the stack, as those of glibc do that wait. At most 1000 calls.
  Stack of(const Registers& registers);

 private:
  struct Module {
    Contents contents = {};
    uint64_t bias = 0;
    std::optional<CallFrames> frames = {};
  };
  const Module* module_of(uint64_t address);
  enum class Fit : uint8_t { No, Possible, Certain };
  Fit fit(uint64_t address, uint64_t instruction);
  bool is_code(uint64_t address) const;
  bool has_frame_pointer(uint64_t function);
  bool is_in_function_at(uint64_t function, uint64_t instruction);
  void walk(Registers at, Stack& stack, bool may_guess);
  void guess_frame_pointer(const Registers& at, Stack& stack);

  const Target& target_;
  MemoryCache& memory_;
  std::map<std::string, Module> modules_ = {};  // by file
};

}  // namespace skein
