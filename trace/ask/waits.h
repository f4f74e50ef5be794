// The waits, with their targets, intervals and wakers; the holdings of resources; the
// notifications: the basis of every analysis (why, doctor, critical, stats).
//
//   const Model model = build_model(trace, {.simplify = false});
//   const Waits waits = find_waits(trace, model);
//   for (const Waits::Wait* wait = waits.open(task); wait; wait = waits.open(wait->on)) ...
//
// For a ring, waits start with the live tasks in its task table (Trace::live_tasks): a wait or a
// holding from before the trace begins at 0.
//
// Tasks and resources are indices of the model, which must not be simplified, because rule 4 moves
// starts. One pass over the events: O(events); a wait takes 56 bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/ask/branches.h"
#include "trace/model/model.h"

namespace skein {

struct Waits {
  static constexpr uint64_t never = UINT64_MAX;
  static constexpr uint32_t none = UINT32_MAX;

  // An interval in which a task waits. In a mirage trace a task may wait for several at once
  // (join).
  struct Wait {
    uint64_t begin = 0;
    uint64_t ready = never;  // its target ended or it was notified: runnable
    uint64_t end = never;    // it resumed, read the result, or ended
    TaskIndex task = no_index;
    TaskIndex on = no_index;     // a task or a resource; no_index: unknown
    TaskIndex waker = no_index;  // that made it runnable or resumed it
    uint32_t location = 0;       // of the await
    uint32_t executor = 0;       // that it ran on before
    uint32_t before = none;      // the task's previous wait
    // What it waits for, if that is not a task or resource; index into Trace::awaited_objects.
    uint32_t object = none;
    bool cancelled = false;      // the task was cancelled or destroyed while it waited
    // The ring has overwritten how and when it ended; `end` is the latest possible time.
    bool end_overwritten = false;
    bool is_open() const { return end == never; }
    // No task woke it. Its wait is over only if it was destroyed.
    bool was_never_woken() const { return is_open() ? ready == never : cancelled && ready == end; }
  };
  // A notify of a condition, a release of a mutex, a post; with `woken` 0 it woke no task.
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
    bool holder_ended = false;  // in a ring: the holder ended, and its events are overwritten
  };
  // The last event of a task or resource that another task caused.
  struct LastEvent {
    uint64_t time = 0;
    TaskIndex by = no_index;
    uint32_t location = 0;
    EventKind kind = EventKind::Lost;  // Lost: none
  };

  std::vector<Wait> waits;                  // by begin
  std::vector<Notification> notifications;  // by time
  std::vector<Holding> holdings;            // by begin
  // By task or resource:
  std::vector<uint32_t> last_wait;          // the last of its waits
  std::vector<uint32_t> last_notification;  // the last with it as the target
  std::vector<uint32_t> last_holding;       // the last of this resource
  std::vector<LastEvent> last_events;
  std::vector<uint64_t> first_run;    // never: it was never current
  std::vector<TaskIndex> started_by;  // the task that first resumed it
  std::vector<bool> running;          // at the end of the trace
  bool any_running = false;           // at the end of the trace
  // Asio's operators whose operands have not ended; their wait is for the first such operand.
  std::vector<Branches> branches;

  // Its wait at the end of the trace, or when it was cancelled; the oldest if there are several.
  // Null if there is none.
  const Wait* open(TaskIndex task) const;
  // Its holding at the end of the trace; the oldest if there are several (a semaphore). Null if
  // there is none.
  const Holding* held(TaskIndex resource) const;
};

// The input of an analysis: a trace, its unsimplified model, and its waits. All of them outlive
// this.
struct Subject {
  const Trace& trace;
  const Model& model;
  const Waits& waits;
};

// The outermost task reached by following creators and waiters upwards, like a call stack.
TaskIndex outermost(const Model& model, const Waits& waits, TaskIndex task);

Waits find_waits(const Trace& trace, const Model& model);

}  // namespace skein
