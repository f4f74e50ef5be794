// Finds contradictory lock orders: one task acquires B while it holds A, another acquires A while
// it holds B (or through C and D). If both do so at the same time, they deadlock, even if they have
// not yet.
//
//   for (const LockCycle& cycle : lock_cycles(trace, model, waits))
//     for (const LockCycle::Edge& edge : cycle.edges) print(edge.task, edge.held, edge.taken);
//
// Not reported, because harmless: a cycle by only one task (it does not wait for itself), and a
// cycle whose edges all hold the same additional lock.
#pragma once

#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct LockCycle {
  struct Edge {
    TaskIndex task = no_index;   // holds `held` since `since`
    TaskIndex held = no_index;   // and acquires or waits for
    TaskIndex taken = no_index;  // the `held` of the next edge
    uint64_t since = 0;
    uint64_t time = 0;
    uint32_t held_location = 0;
    uint32_t location = 0;
    uint32_t wait = Waits::none;  // a wait for `taken` that never ends
  };
  std::vector<Edge> edges;  // the last `taken` is the first `held`
  bool is_deadlock() const;
};

// Whether the lock is held at the end of the trace. (A ring may have overwritten the release; the
// live task table then decides.)
bool is_held(const Trace& trace, const Model& model, const Waits::Holding& holding);

// At most 100 cycles, found from at most 10,000 edges. Each is a shortest cycle through one of its
// edges. Memory is linear in the number of acquisitions: edges that are in no cycle are not kept,
// and at most 100,000 others.
std::vector<LockCycle> lock_cycles(const Trace& trace, const Model& model, const Waits& waits);

}  // namespace skein
