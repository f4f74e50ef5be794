// The branches of Asio's operator|| and operator&& (asio::experimental::awaitable_operators). Such
// an operator is a coroutine that spawns its two operands, and no event shows that it waits for
// them. They are the last two coroutines that its creator made before it: the operands of the
// expression. Both start only after the operator has begun to wait.
#pragma once

#include <array>
#include <vector>

#include "trace/model/model.h"

namespace skein {

struct Branches {
  TaskIndex operation = no_index;  // its name or function is "...::operator||", or "&&"
  std::array<TaskIndex, 2> operands = {no_index, no_index};
};

// Of those operators that have not ended. `first_run`: Waits::first_run. Without such a name in the
// trace O(strings), else O(tasks).
std::vector<Branches> find_branches(const Trace& trace, const Model& model,
                                    const std::vector<uint64_t>& first_run);

}  // namespace skein
