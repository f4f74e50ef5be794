// Who waited for what, from when to when, and what ended it; who held what; who notified whom:
// the facts behind every question that is asked of a trace (why, doctor, critical, stats).
//
//   const Model model = build_model(trace, {.simplify = false});
//   const Waits waits = find_waits(trace, model);
//   for (const Waits::Wait* wait = waits.open(task); wait; wait = waits.open(wait->on)) ...
//
// In a ring they begin with what its task table tells of those that are alive (Trace::live_tasks):
// a wait or a holding from before the trace begins at 0.
//
// Tasks and resources are referred to as in the model. One pass over the events: O(events); a wait
// takes 56 bytes. Needs a model that is not simplified: rule 4 moves beginnings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/model/model.h"

namespace skein {

struct Waits {
  static constexpr uint64_t never = UINT64_MAX;
  static constexpr uint32_t none = UINT32_MAX;

  // A task that could not go on. In a mirage trace a task may wait for several at once (join).
  struct Wait {
    uint64_t begin = 0;
    uint64_t ready = never;  // what it waited for ended, or it was notified: it could go on
    uint64_t end = never;    // it was current again, read the result, or ended
    TaskIndex task = no_index;
    TaskIndex on = no_index;     // a task or a resource; no_index: the trace does not say
    TaskIndex waker = no_index;  // who made it ready, or resumed it
    uint32_t location = 0;       // of the await
    uint32_t executor = 0;       // that it left
    uint32_t before = none;      // the task's previous wait
    bool cancelled = false;      // the task was cancelled, or destroyed, while it waited
    // The ring has overwritten how and when it ended; `end` is the latest possible time.
    bool end_overwritten = false;
    bool is_open() const { return end == never; }
    // Never told to go on; it does not wait any more only if it was destroyed.
    bool was_never_woken() const { return is_open() ? ready == never : cancelled && ready == end; }
  };
  // A signal on a condition, a release of a mutex, a post: with `woken` 0 nobody was there.
  struct Notification {
    uint64_t time = 0;
    uint64_t woken = unknown_value;
    TaskIndex target = no_index;
    TaskIndex by = no_index;
    uint32_t location = 0;
    uint32_t before = none;  // the target's previous notification
  };
  struct Holding {
    uint64_t begin = 0;
    uint64_t end = never;
    TaskIndex holder = no_index;
    TaskIndex resource = no_index;
    uint32_t location = 0;
    uint32_t before = none;     // the resource's previous holding
    bool holder_ended = false;  // of a ring: the holder has ended, and was overwritten
  };
  // The last event that had to do with a task or resource and that another did.
  struct LastEvent {
    uint64_t time = 0;
    TaskIndex by = no_index;
    uint32_t location = 0;
    EventKind kind = EventKind::Lost;  // Lost: there is none
  };

  std::vector<Wait> waits;                  // by begin
  std::vector<Notification> notifications;  // by time
  std::vector<Holding> holdings;            // by begin
  // Of each of Model::tasks:
  std::vector<uint32_t> last_wait;          // the newest of its waits
  std::vector<uint32_t> last_notification;  // of those it was the target of
  std::vector<uint32_t> last_holding;       // of those of this resource
  std::vector<LastEvent> last_events;
  std::vector<uint64_t> first_run;    // never: it never was current
  std::vector<TaskIndex> started_by;  // who let it run first
  std::vector<bool> running;          // at the end of the trace
  bool any_running = false;           // then

  // What it waits for at the end of the trace, or when it was cancelled; nullptr: it does not, or
  // did not. Of several the oldest.
  const Wait* open(TaskIndex task) const;
  // Who holds it at the end of the trace; nullptr: nobody. Of several (a semaphore) the oldest.
  const Holding* held(TaskIndex resource) const;
};

// What a question is about: a trace, its model that is not simplified, and who waited in it. All of
// it lives longer.
struct Subject {
  const Trace& trace;
  const Model& model;
  const Waits& waits;
};

// Up from a task to who created it and waits for it, as functions to who called them.
TaskIndex outermost(const Model& model, const Waits& waits, TaskIndex task);

Waits find_waits(const Trace& trace, const Model& model);

}  // namespace skein
