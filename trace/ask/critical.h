// The critical path: explains backwards, cause by cause, why a task was in its state at a time.
// While the task ran, the run is the cause; while it waited, the path continues with what ended the
// wait, the task that did so, what that task did before ... The path divides the interval into
// segments without gaps or overlap, so their durations add up exactly. If a segment took less time,
// the whole would.
//
//   for (const Segment& s : critical_path(trace, model, waits, task, from, to)) print(s);
//
// Algorithm: like that for traced distributed systems (C.-Q. Yang and B. Miller, "Critical path
// analysis for the execution of parallel and distributed programs", 1988), with wake-ups instead of
// messages. O(waits + activations), and 8 bytes for each of both.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct Segment {
  enum class Kind : uint8_t {
    Running,
    Ready,    // it was runnable, but its executor did not run it
    Blocked,  // it waited for `on`; what ended the wait, if anything, is not in the trace
    // A timer, a file descriptor, a peer: an operation that does not run code of the program.
    // Without a task: what the program did or waited for outside any task before it created the
    // next one, or the time after the task's end.
    External,
    Before,  // the trace contains nothing of it
  };
  uint64_t begin = 0;
  uint64_t end = 0;
  TaskIndex task = no_index;  // no_index: no task in the trace
  // Blocked: a task or resource, if known. Ready: the task that ran longest on its executor
  // instead, if any.
  TaskIndex on = no_index;
  uint32_t location = 0;  // Blocked: where it waited
  Kind kind = Kind::Before;
  // Running, Ready: how long its thread waited for a CPU, ns, by the kernel's account (`skein
  // record
  // --sched`); and the name of the thread that ran longest instead, 0: not known.
  uint64_t cpu_wait = 0;
  StringId ran_instead = 0;
};
// "running"; stable, used in text and JSON.
std::string_view name(Segment::Kind kind);

// By time, from `from` to `to` exactly; empty if from >= to. `waits` must be of the same
// unsimplified model.
std::vector<Segment> critical_path(const Trace& trace, const Model& model, const Waits& waits,
                                   TaskIndex task, uint64_t from, uint64_t to);

// The task that was current at `time` on any executor, or the last one before; no_index: none.
TaskIndex current_at(const Model& model, uint64_t time);

// The task that matters at the end of the trace: one that is stuck (an error of `skein why`), else
// the coroutine, fiber or thread that ended last, else current_at(). Operations and handlers of a
// library matter less.
TaskIndex last_of_program(const Trace& trace, const Model& model, const Waits& waits);

}  // namespace skein
