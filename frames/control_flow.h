// The instructions of a function, and which follow which.
//
//   ControlFlow flow(code);
//   for (const size_t next : flow.successors(0)) print(flow.instructions()[next].address);
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "frames/instruction.h"
#include "frames/resume_point.h"

namespace skein {

class ControlFlow {
 public:
  // Of a whole function, with its `rest`. O(bytes).
  explicit ControlFlow(const Code& code);

  // Those of the rest are the last.
  std::span<const Instruction> instructions() const { return instructions_; }
  size_t rest() const { return rest_; }  // the number of its first one
  // Whether all bytes were understood. If not, what is known of jumps may be wrong.
  bool is_complete() const { return is_complete_; }
  // The number of the instruction at an address. O(log instructions).
  std::optional<size_t> find(uint64_t address) const;
  // Where the flow goes on, by numbers of instructions. Jumps by a table: only known targets.
  std::vector<size_t> successors(size_t instruction) const;
  // By instruction, those whose successor it is. O(instructions).
  std::vector<std::vector<size_t>> predecessors() const;
  // Whether an instruction jumps by a table. Other jumps to addresses in registers or memory leave
  // the function.
  bool is_by_table(size_t jump) const;
  bool has_table(size_t jump) const { return table_targets_.contains(jump); }

 private:
  std::optional<uint64_t> last_entry(size_t jump) const;
  void read_table(const Code& code, size_t jump);

  std::vector<Instruction> instructions_ = {};
  size_t rest_ = 0;
  std::map<size_t, std::vector<size_t>> table_targets_ = {};  // by the jump, numbers
  bool is_complete_ = false;
};

}  // namespace skein
