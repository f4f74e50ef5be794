// Which locks can be in a cycle of lock orders: most are in none, and their orders need not be
// kept.
#pragma once

#include <cstddef>
#include <vector>

#include "trace/model/model.h"

namespace skein {

// A task acquired `taken` while `held` was the latest lock that it held. Edges from the older locks
// that it held are not necessary: the edges by which it acquired the later ones connect them.
struct LockStep {
  TaskIndex held;
  TaskIndex taken;
};

// Returns, for each task or resource below `count`, whether it is on a cycle of steps, or on a path
// between two cycles. Time and memory O(steps + count).
std::vector<bool> find_cyclic(const std::vector<LockStep>& steps, size_t count);

}  // namespace skein
