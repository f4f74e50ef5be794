// The critical path: why a task was where it was at a moment, told backwards cause by cause. What
// ran then; before that it waited, so: what ended the wait, who did that, what they did before ...
// The time between two moments is cut into segments without gap or overlap: their lengths add up
// to it exactly. What is on the path, if it took less time, would have made the whole take less.
//
//   for (const Segment& s : critical_path(trace, model, waits, task, from, to)) print(s);
//
// Algorithm: as of traced distributed systems (C.-Q. Yang and B. Miller, "Critical path analysis
// for the execution of parallel and distributed programs", 1988), over wake-ups instead of
// messages. O(waits + activations) and 8 bytes of each.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct Segment {
  enum class Kind : uint8_t {
    Running,
    Ready,    // it could go on, and its executor did not let it
    Blocked,  // it waited for `on`, and the trace does not say who ended that, or nobody did
    // A timer, a file descriptor, a peer: an operation that is no code of the program. With no
    // task: what it did, or waited for, outside of all tasks, before it created the next; or the
    // time after the task's end.
    External,
    Before,  // nothing of it is in the trace
  };
  uint64_t begin = 0;
  uint64_t end = 0;
  TaskIndex task = no_index;  // no_index: nobody that the trace knows
  // Blocked: a task or resource, if the trace says which. Ready: who ran instead on its executor,
  // the longest of them, if anybody did.
  TaskIndex on = no_index;
  uint32_t location = 0;  // Blocked: where it waited
  Kind kind = Kind::Before;
};
// "running"; stable, used in text and JSON.
std::string_view name(Segment::Kind kind);

// From the earliest to the latest, from `from` to `to` exactly; empty if from >= to. `waits` must
// be of the same unsimplified model.
std::vector<Segment> critical_path(const Trace& trace, const Model& model, const Waits& waits,
                                   TaskIndex task, uint64_t from, uint64_t to);

// Who was current at a moment, or was last before it, on any executor; no_index: nobody.
TaskIndex current_at(const Model& model, uint64_t time);

}  // namespace skein
