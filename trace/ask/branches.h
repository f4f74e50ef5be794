// The branches of Asio's operator|| and operator&& (asio::experimental::awaitable_operators). Such
// an operator is a coroutine that spawns its two operands, and no event shows that it waits for
// them. They are the last two coroutines that its creator made before it: the operands of the
// expression. Both start only after the operator has begun to wait.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "trace/model/model.h"

namespace skein {

struct Branches {
  TaskIndex operation = no_index;  // its name or function is "...::operator||", or "&&"
  std::array<TaskIndex, 2> operands = {no_index, no_index};
};

// By string: whether a coroutine with this name, or of this function, is such an operator. Empty if
// there is no such string.
std::vector<bool> awaitable_operator_names(const Trace& trace);

// The same from the events, for operands that are operations: `socket.async_receive(...) ||
// timer.async_wait(...)`. When an operator has suspended, the handler in which it ran starts its
// operands one after the other: coroutines of the operator's creator, and operations. An operand
// that is an operator starts its own before the next. Feed it the events of one thread. O(1) per
// event.
class BranchFinder {
 public:
  void suspends(TaskIndex operation) { open_.push_back({.operation = operation}); }
  void runs_next_handler() { open_.clear(); }
  // The operator that has not both of its operands, or no_index.
  TaskIndex open() const { return open_.empty() ? no_index : open_.back().operation; }
  // Returns the operator with its operands when this one is the second.
  std::optional<Branches> add(TaskIndex operand) {
    const bool is_second = open_.back().operands[0] != no_index;
    open_.back().operands[is_second] = operand;
    if (!is_second) return {};
    const Branches found = open_.back();
    open_.pop_back();
    return found;
  }

 private:
  std::vector<Branches> open_;  // the innermost last
};

// Of those operators that have not ended. `names`: awaitable_operator_names(); `first_run`:
// Waits::first_run. O(tasks), without names O(1).
std::vector<Branches> find_branches(const Trace& trace, const Model& model,
                                    const std::vector<bool>& names,
                                    const std::vector<uint64_t>& first_run);

}  // namespace skein
