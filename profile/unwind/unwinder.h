// The call stacks of samples: a sample has the registers of a thread, and a copy of the top of its
// stack. The target may have gone on since, or be gone.
//
//   UnwindTables tables;
//   Unwinder unwinder(unwind_modules(*target, tables));             // modules.h
//   const UnwoundStack stack = unwinder.unwind(sample);
//   add(stack.pcs);
//   print(unwinder.counts().text("use --stack-size 65528"));        // how many are broken, and why
//
// In this order, a function's caller is found by
//   1. the table of its file: where rbp is the base of its part of the stack, that is one step of
//   two
//      adjacent words (hybrid); signal frames and PLTs have rules, too
//   2. in code without a table, for the innermost function: the return address on top of the stack,
//   if
//      a call to this function is before it. g++'s leaf functions do not set up a frame pointer,
//      and a chain of frame pointers alone would lose their callers
//   3. in code without a table: rbp, if it points to the stack and a call is before the return
//   address
//
// A table's rules need rsp and rbp. Others, such as rbx, are restored only if a rule needs one,
// from the frames passed so far. Of x86-64; AArch64 differs in symbol/unwind_registers.h and in 2.
//
// Nothing in a sample is trusted. Not thread-safe; unwinders may share tables.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbol/unwind_registers.h"
#include "symbol/unwind_table.h"

namespace skein {

// An executable mapping.
struct UnwindModule {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t bias = 0;                              // added to its file's addresses
  uint64_t entry = 0;                             // where the file's code begins to run; 0: unknown
  std::shared_ptr<const UnwindTable> table = {};  // null: none
  std::shared_ptr<const void> owner = {};         // of `code`
  std::span<const uint8_t> code = {};             // from `begin`; may be shorter, or empty
  std::string name = {};                          // of the file, or "[vdso]"
};

struct StackSample {
  UnwindRegisters registers = {};  // at least rip (16) and rsp
  uint64_t stack_begin = 0;        // address of the copy, at most rsp
  std::span<const uint8_t> stack = {};
  uint64_t stack_end = UINT64_MAX;  // of the whole stack; UINT64_MAX: unknown
};

enum class StackEnd : uint8_t {
  Complete,  // up to the first function of the thread
  Cut,       // the copy ends
  NoTable,   // a function is in no table, and without frame pointer
  Damaged,   // no stack that a compiler makes
  TooDeep,   // more functions than wanted
};

struct UnwoundStack {
  // rip of the innermost function, and the return addresses of its callers. Valid until the next
  // call.
  std::span<const uint64_t> pcs = {};
  // Those that are no return addresses but were interrupted by a signal, besides the first,
  // ascending.
  std::span<const uint32_t> interrupted = {};
  StackEnd end = StackEnd::Complete;
};

struct UnwindCounts {
  uint64_t stacks = 0;
  std::array<uint64_t, 5> ends = {};  // by StackEnd
  uint64_t frames = 0;
  uint64_t frame_pointers = 0;    // frames of step 3 above
  uint64_t repaired = 0;          // of step 2
  std::string worst_module = {};  // in which most stacks of NoTable end

  uint64_t of(StackEnd end) const { return ends[static_cast<size_t>(end)]; }
  uint64_t broken() const { return stacks - of(StackEnd::Complete); }
  // A line for each kind of broken stacks, with its share and how to fix it; empty: there are none.
  // `for_more`: how to copy more of each stack.
  std::string text(const std::string& for_more) const;
};

class Unwinder {
 public:
  struct Options {
    size_t most_frames = 1024;
    size_t cached_rules = 4096;  // by pc, 32 bytes each; a power of two. 1: each is looked up
  };

  explicit Unwinder(std::vector<UnwindModule> modules) : Unwinder(std::move(modules), Options()) {}
  Unwinder(std::vector<UnwindModule> modules, const Options& options);

  // After the target has mapped or unmapped code. In any order, without overlaps.
  void set_modules(std::vector<UnwindModule> modules);

  // Does not allocate. O(frames): see docs/performance.md.
  UnwoundStack unwind(const StackSample& sample);

  // What a function of the last stack had in its registers, by its number in `pcs`.
  struct Frame {
    UnwindRegisters registers = {};  // those that are known
    uint64_t cfa = 0;  // rsp behind its return address: above its part of the stack; 0: unknown
    // What the innermost function has, or the one that a signal has interrupted: the same, of
    // registers that the functions in between do not use.
    UnwindRegisters innermost = {};
  };
  // Precondition: `sample` is the last one. Nothing: a function that a signal has interrupted is
  // above it. O(number).
  std::optional<Frame> frame(const StackSample& sample, size_t number) const;

  UnwindCounts counts() const;

 private:
  struct Passed {  // a frame on the way
    const UnwindRule* rule = nullptr;
    uint64_t cfa = 0;
  };
  // FramePointer: CFA = rbp + 16, with the return address and the caller's rbp below it.
  enum class Usual : uint8_t { No, FromSp, FromFp, FramePointer };
  struct Known {  // of a rule, what the usual ones need
    uint64_t address = 0;
    const UnwindRule* rule = nullptr;
    int32_t cfa = 0;
    int16_t return_address = 0;
    int16_t frame_pointer = 0;
    Usual usual = Usual::No;
  };
  struct State;

  const UnwindModule* module_at(uint64_t address);
  Known look_up(uint64_t address);
  const Known& known_at(uint64_t address);
  StackEnd walk(const StackSample& sample, State& state);
  void pass_usual(const StackSample& sample, State& state);
  bool pass_special(const StackSample& sample, State& state, const UnwindRule& rule);
  const UnwindRule* rule_without_table(const StackSample& sample, const State& state);
  bool is_behind_call(uint64_t address, uint64_t callee);
  UnwindRegisters registers_of(const StackSample& sample, const State& state) const;

  std::vector<UnwindModule> modules_ = {};  // by `begin`
  size_t last_module_ = 0;
  std::vector<Known> cache_ = {};
  std::vector<uint64_t> pcs_ = {};
  std::vector<uint32_t> interrupted_ = {};
  std::vector<Passed> passed_ = {};
  std::vector<uint64_t> without_table_ = {};  // stacks that end there, by module
  // Of the last stack: frames passed, the first of those since all registers were known, and these.
  size_t last_count_ = 0;
  size_t last_base_ = 0;
  UnwindRegisters last_registers_ = {};
  uint64_t last_sp_ = 0;
  UnwindCounts counts_ = {};
};

}  // namespace skein
