// Tasks that still waited when the program destroyed them at its end: when main() returned, or the
// context that runs them was destroyed. A server may drop idle sessions so; a program that ended
// too early drops its work.
//
//   for (const TornDown& t : torn_down({trace, model, waits}))
//     print(model.tasks[t.task].name, waits.waits[t.wait].on, t.count);
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct TornDown {
  TaskIndex task = no_index;    // the first of its group
  uint32_t wait = Waits::none;  // what it waited for
  uint64_t count = 0;           // of the same name, waiting at the same location
};

// By the begin of the wait. Only tasks with code of their own (no generators) that no other such
// task waited for, destroyed after the last of them ran. O(tasks + waits + activations).
std::vector<TornDown> torn_down(const Subject& subject);

// When the last task or handler stopped running; 0: none ran.
uint64_t last_activity(const Model& model);

// When the program began to destroy what was left at its end: the first event after the last task
// or handler ran. UINT64_MAX if it left nothing to destroy. A channel that main() destroys before
// the event loop ends its operations and posts their handlers, which never run: these operations
// count as destroyed. The state until then: ModelOptions::before, trace/ask/end_state.h.
uint64_t teardown_begin(const Subject& subject);

}  // namespace skein
