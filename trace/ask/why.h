// Why does a task not end: the chain of who waits for whom, down to what it all comes to, and what
// is wrong there.
//
//   const Waits waits = find_waits(trace, model);
//   for (const Diagnosis& d : diagnose_all(trace, model, waits))
//     if (d.is_error()) print(d);
//
// What it says is about the end of the trace: of a program that runs, about the last event.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/ask/live_tasks.h"
#include "trace/ask/waits.h"

namespace skein {

enum class Verdict : uint8_t {
  Ok,             // it has ended, or it runs
  NeverNotified,  // nobody has signalled, resolved, posted what the last of the chain waits for
  LostWakeup,     // somebody did, when nobody waited yet: a lost wake-up
  Deadlock,       // the chain comes back to itself
  NeverReleased,  // the holder of a lock ended, or cannot go on, without releasing it
  External,       // a timer, a file descriptor, a peer
  Starved,        // it could go on, and did not come to run
  Cancelled,      // what it waits for was cancelled or failed, and nobody told it
  NeverStarted,   // it was created, and nobody let it run
  Unknown,        // the trace does not say what it waits for
};
// "never notified"; stable, used in text and JSON.
std::string_view name(Verdict verdict);

struct Diagnosis {
  struct Step {
    TaskIndex task = no_index;       // a task; the last may be a resource
    uint32_t wait = Waits::none;     // what it waits for; none: it does not wait
    uint32_t holding = Waits::none;  // of a resource: it leads on to who holds it
  };
  std::vector<Step> chain;  // from who was asked about; each waits for the next
  Verdict verdict = Verdict::Ok;
  uint32_t notification = Waits::none;  // LostWakeup: the one
  size_t cycle_begin = 0;               // Deadlock: the last step waits for chain[cycle_begin]
  TaskIndex blocker = no_index;         // Starved: who ran instead the longest
  bool waited_before = false;           // LostWakeup: it had waited there before, and gone on
  bool created_after = false;           // LostWakeup: neither it nor who called it was there then
  bool expected = false;                // it should resolve
  // Others of which the same is true, step by step; of a circle, others in it or that wait for it.
  std::vector<TaskIndex> similar = {};

  // Something is wrong; what waits for something outside, or for work, may do so for ever.
  bool is_error() const;
};

// Ready for less than this at the end of the trace is not starved, ns.
inline constexpr uint64_t starvation_threshold_ns = 1'000'000;

Diagnosis diagnose(const Trace& trace, const Model& model, const Waits& waits, TaskIndex task);

// Everything unresolved that matters: what should resolve (and was destroyed, too, while it waited:
// programs that give up clean up), unless a fault's chain has it already, and what nobody waits
// for. Alike ones are one (Diagnosis::similar); faults first, then by when they began to wait.
std::vector<Diagnosis> diagnose_all(const Trace& trace, const Model& model, const Waits& waits);

// What the step waits for, or which task holds it; no_index: none, or it is unknown.
TaskIndex target_of(const Subject& subject, const Diagnosis& diagnosis, size_t step);
// Where it is, or was made.
uint32_t location_of(const Subject& subject, const Diagnosis::Step& step);
// Since when it does that, as `skein ps` has it; of a cancelled task its wait then, of a resource
// without a holder its creation. Negative: that long before the trace. `live` is of this subject.
int64_t since(const Subject& subject, const LiveTaskFinder& live, const Diagnosis::Step& step);

}  // namespace skein
