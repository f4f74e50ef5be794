// Finds where two runs of a program diverge, causes before consequences.
//
//   const Alignment aligned = align(good, bad);
//   for (const Divergence& d : find_divergences(good, bad, aligned)) print(d);  // in order
//
// Two runs never have equal times, and independent events come in any order. The search therefore
// starts at different outcomes: a task that ended in the good run but waits in the bad one, a task
// that failed, or tasks that exist in only one run. From there it goes back through both runs in
// parallel: what ended that wait in the good run, and why did that not happen, or happen too early,
// in the bad one? The last point where both agree is the divergence. Reports nothing for two runs
// with equal outcomes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/ask/align.h"
#include "trace/ask/why.h"

namespace skein {

// An event in one of the runs.
struct CausalEvent {
  EventKind kind = EventKind::Lost;  // Suspend: the wait begins; Resume: it resumes `other`
  TaskIndex task = no_index;   // that ended, was notified, created, acquired, or began to wait
  TaskIndex other = no_index;  // Resolve, Fail, Cancel, Resume: the waiter; Notify, Create: the
                               // actor; Suspend: the target; Acquire, Release: the holder
  uint64_t time = 0;
  uint32_t location = 0;  // of the wait, notify or creation
};

struct Divergence {
  enum class Kind : uint8_t {
    Order,     // good run: `good` came before `good_later`; bad run: `bad` after `bad_earlier`
    NotDone,   // `good` did not happen; `bad`: the target of the task that would do it, or Lost
    OtherEnd,  // the task ended by `good` in the good run and by `bad` in the bad run
    OtherWay,  // the same task, after the same waits, did `good` in one run and `bad` in the other
    OnlyInGood,  // `good`: the bad run has no such tasks
    OnlyInBad,   // `bad`: the good run has no such tasks
  };
  Kind kind = Kind::Order;
  CausalEvent good = {};        // in the good run
  CausalEvent good_later = {};  // Order
  CausalEvent bad = {};         // in the bad run
  CausalEvent bad_earlier = {};
  Diagnosis victim = {};  // a task of the bad run that does not end for it; may have no chain
  uint64_t tasks = 1;     // number of tasks with another outcome because of it
};
// "order"; stable, used in JSON.
std::string_view name(Divergence::Kind kind);

// Causes of errors first, then by time; similar divergences are merged. Diagnoses at most 256 tasks
// that do not end, those with an error first. O(tasks + events), plus O(tasks) per diagnosed task.
std::vector<Divergence> find_divergences(const Subject& good, const Subject& bad,
                                         const Alignment& aligned);

}  // namespace skein
