// In which order locks are taken, and where one order contradicts another: who holds A takes B, and
// elsewhere who holds B takes A (or by way of C and D). Two that come there at the same moment wait
// for each other for ever, also if they have not yet.
//
//   for (const LockCycle& cycle : lock_cycles(trace, model, waits))
//     for (const LockCycle::Edge& edge : cycle.edges) print(edge.task, edge.held, edge.taken);
//
// Harmless, and not reported: a circle that only one task goes around (it does not wait for
// itself), and one that is always gone around with another lock held, the same on all its edges.
#pragma once

#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct LockCycle {
  struct Edge {
    TaskIndex task = no_index;   // holds `held` since `since`
    TaskIndex held = no_index;   // and takes, or waits for,
    TaskIndex taken = no_index;  // the `held` of the next edge
    uint64_t since = 0;
    uint64_t time = 0;
    uint32_t held_location = 0;
    uint32_t location = 0;
    uint32_t wait = Waits::none;  // it waits for it, and does not get it
  };
  std::vector<Edge> edges;  // the last one's `taken` is the first one's `held`
  bool is_deadlock() const;
};

// At the end of the trace. (Of a ring the release may have been overwritten: the table of live
// tasks says who holds what.)
bool is_held(const Trace& trace, const Model& model, const Waits::Holding& holding);

// At most a hundred, of ten thousand that may be one; each edge between two locks is in one that is
// shortest.
std::vector<LockCycle> lock_cycles(const Trace& trace, const Model& model, const Waits& waits);

}  // namespace skein
