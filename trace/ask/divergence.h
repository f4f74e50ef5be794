// What went another way in one run of a program than in another, cause before consequence.
//
//   const Alignment aligned = align(good, bad);
//   for (const Divergence& d : find_divergences(good, bad, aligned)) print(d);  // the first is
//   first
//
// Two runs never agree in their times, and what does not depend on each other comes in any order.
// So it begins with what came out differently: a task that ended in the good run and waits in the
// bad one, one that failed, tasks of which there are none. From there it goes back, in both runs
// side by side: what ended that wait in the good run, and why did that not happen, or come too
// early, in the bad one? The last place where both agree is the divergence. Of two runs in which
// everything came out alike, it says nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/ask/align.h"
#include "trace/ask/why.h"

namespace skein {

// Something that happened in one of the runs.
struct CausalEvent {
  EventKind kind = EventKind::Lost;  // Suspend: it began to wait; Resume: it let `other` go on
  TaskIndex task = no_index;   // that ended, was notified, created, acquired, or began to wait
  TaskIndex other = no_index;  // Resolve, Fail, Cancel, Resume: who waited; Notify, Create: who did
                               // it; Suspend: what it waits for; Acquire, Release: by whom
  uint64_t time = 0;
  uint32_t location = 0;  // of the wait, the notify, the creation
};

struct Divergence {
  enum class Kind : uint8_t {
    Order,       // in good `good` came before `good_later`; in bad `bad` comes after `bad_earlier`
    NotDone,     // `good` did not happen; `bad`: what who would have done it waits for; or Lost
    OtherEnd,    // the task ended by `good` there and by `bad` here
    OtherWay,    // the same task, after the same waits: `good` there, `bad` here
    OnlyInGood,  // `good`: of such tasks there are none in bad
    OnlyInBad,   // `bad`: of such tasks there are none in good
  };
  Kind kind = Kind::Order;
  CausalEvent good = {};        // in the good run
  CausalEvent good_later = {};  // Order
  CausalEvent bad = {};         // in the bad run
  CausalEvent bad_earlier = {};
  Diagnosis victim = {};  // of the bad run: who does not end for it; its chain may be empty
  uint64_t tasks = 1;     // that came out differently for it
};
// "order"; stable, used in JSON.
std::string_view name(Divergence::Kind kind);

// Causes of what is wrong first, each group in the order of time; alike ones are one. Asks about at
// most 256 tasks that do not end, those first that are a fault. O(tasks + events), and for each of
// these O(tasks) more.
std::vector<Divergence> find_divergences(const Subject& good, const Subject& bad,
                                         const Alignment& aligned);

}  // namespace skein
