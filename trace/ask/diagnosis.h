// Why one task does not end: the chain of targets, and what is wrong at its end. diagnose_all()
// (trace/ask/why.h) finds it.
//
// Diagnoses describe the end of the trace; for a running program, its last event.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/ask/awaited.h"
#include "trace/ask/blocked_pool.h"
#include "trace/ask/busy_thread.h"
#include "trace/ask/closed_acceptors.h"
#include "trace/ask/ended_relay.h"
#include "trace/ask/failed_waker.h"
#include "trace/ask/fed_channels.h"
#include "trace/ask/forgotten.h"
#include "trace/ask/live_tasks.h"
#include "trace/ask/mutual_receives.h"
#include "trace/ask/mutual_sends.h"
#include "trace/ask/on_their_way.h"
#include "trace/ask/other_end.h"
#include "trace/ask/outlived.h"
#include "trace/ask/overtaken.h"
#include "trace/ask/own_locks.h"
#include "trace/ask/read_ahead.h"
#include "trace/ask/relocked.h"
#include "trace/ask/retried.h"
#include "trace/ask/traffic.h"
#include "trace/ask/unreturned.h"
#include "trace/ask/waits.h"

namespace skein {

enum class Verdict : uint8_t {
  Ok,             // it has ended, or runs
  NeverNotified,  // no task has notified or resolved the last target of the chain
  LostWakeup,     // the notification came before the wait: a lost wake-up
  Deadlock,       // the chain is a cycle, or ends at a lock of the program's own
  NeverReleased,  // the holder of a lock ended, or cannot continue, without releasing it
  External,       // a timer, a file descriptor, a peer
  Starved,        // it is runnable but does not run
  Cancelled,      // its target was cancelled or failed without waking it
  NeverStarted,   // it was created and never resumed
  Unknown,        // its target is not in the trace
  NeverExpires,   // a timer that never expires, and no task has cancelled it since
  Running,        // it has run for long, or ran at the last event of a trace whose end is unknown
};
inline constexpr size_t verdicts = static_cast<size_t>(Verdict::Running) + 1;
// "never notified"; stable, used in text and JSON.
std::string_view name(Verdict verdict);

// How likely a fault is, from the likeliest: the order of `skein why`.
enum class Suspicion : uint8_t {
  Blocked,      // an error: a thread is blocked for ever
  Error,        // another one
  Cause,        // what delays the task of an error
  Likely,       // few correct programs look like this
  Runs,         // it has run for long
  Suspect,      // correct and faulty programs look like this
  Slow,         // a timer that has never expired: it takes long, or a task moves it again and again
  Unexplained,  // the trace does not show what it waits for
  Usual,        // most that look like this are correct
  Idle,         // every server has it: an acceptor, a wait for a signal
};

struct Diagnosis {
  struct Step {
    TaskIndex task = no_index;       // a task; the last step may be a resource
    uint32_t wait = Waits::none;     // its wait; none: it does not wait
    uint32_t holding = Waits::none;  // of a resource: the holding by the task of the next step
  };
  std::vector<Step> chain;  // from the diagnosed task; each step waits for the next
  Verdict verdict = Verdict::Ok;
  Suspicion suspicion = Suspicion::Suspect;  // diagnose_all() sets it
  uint32_t notification = Waits::none;       // LostWakeup: the notification
  uint64_t running_since = Waits::never;     // Running
  uint32_t executor = 0;                     // Running: its thread
  // Running in a live process: what its thread does. The rest of a sentence; empty: unknown. The
  // caller may set it.
  std::string thread_state = {};
  // Running for a second, and longer than usual: all threads of its pool or event loop do, and
  // handlers wait for one.
  std::optional<BlockedPool> pool = {};
  // Running: it is the blocker of an error.
  bool is_cause = false;
  // Starved: earlier runs of the blocker's function took at least half as long, as jobs of a batch
  // do; or handlers of its context have waited at least half as long before.
  bool is_usual_delay = false;
  // Starved: the blocker runs on a thread of a thread pool, whose jobs wait for their turn.
  bool is_pool_delay = false;
  uint64_t starved = 0;                   // Starved: for how long, ns
  uint64_t served = Waits::never;         // Starved handler: when the last of its context ended
  size_t cycle_begin = 0;                 // is_cycle(): the last step waits for chain[cycle_begin]
  uint32_t cancel = Model::Object::none;  // LostWakeup of a timer: the cancel (Model::cancels)
  TaskIndex blocker = no_index;           // Starved: the task that ran longest instead
  bool waited_before = false;             // LostWakeup: it had waited there before and resumed
  bool created_after = false;  // LostWakeup: it and its callers were created after the notification
  // A timer that never expires, or an operation of a channel: nothing recorded is left that could
  // cancel or complete it, because no task runs or is runnable, and no other operation is pending,
  // or only those of channels.
  bool is_last = false;
  // One thread of the process waits in its event loop, and all others for that one, so that nothing
  // outside the trace can cancel it either (TraceInfo::alone). False if the program ended by itself
  // and the timer had woken a task before: a worker that is idle at the end waits like that.
  bool is_alone = false;
  bool has_one_thread = false;  // the trace, if `is_last`
  // All threads of the process wait for each other, without a timeout (TraceInfo::asleep): nothing
  // can wake it. False of an idle pool. False if it has waited at the same place before, and
  // continued, or if its target is unknown: then it may be a worker without work, or have returned
  // its result, and not be the one that is stuck. True all the same if this holds for all tasks
  // that wait, and none is deadlocked. False if one of the tasks that it `started` is stuck: it
  // waits for that one.
  bool is_asleep = false;
  // All threads of the process wait like that, and all tasks are workers without work: two or more
  // that wait for objects at one place, where each has waited before. main() may join its threads
  // for ever.
  bool is_idle_pool = false;
  std::optional<Traffic> traffic = {};          // External, of a socket with a known address
  std::optional<BothEnds> both_ends = {};       // the same, if the peer is in this program, too
  std::optional<BusyThread> busy_thread = {};   // of a send
  std::optional<OnTheirWay> on_their_way = {};  // of a receive with both ends
  std::optional<MutualReceives> mutual_receives = {};  // of a receive with both ends
  std::optional<ReadAhead> read_ahead = {};            // of a receive of a coroutine
  std::optional<EndedRelay> ended_relay = {};          // the same
  // External, in a live process: what the kernel says about the socket. Sentences, each with a
  // space before it; empty: unknown. The caller may set it.
  std::string socket_state = {};
  // External, of an acceptor or a periodic timer: the wait for a signal after which only such
  // operations are pending, and keep the program running. Starved handler: the same if its context
  // has run nothing since shortly after the signal. no_index: there is none.
  TaskIndex signal = no_index;
  // External, of a periodic timer: no such signal, but the program has closed its acceptor.
  std::optional<ClosedAcceptor> closed_acceptor = {};
  // External: a wait for a repeated timer that has begun since that signal; no_index: there is
  // none.
  TaskIndex set_since = no_index;
  // External: that signal was to end the program: SIGINT, SIGTERM or SIGQUIT, a second ago or more,
  // and no repeated timer has been set since.
  bool should_have_ended = false;
  // External: the bytes that the earlier parts of a composed operation have moved (async_read), for
  // which a coroutine waits.
  uint64_t moved = 0;
  // External: the operation before it that shows that the connection is closed (find_closed()).
  TaskIndex closed = no_index;
  // External, with both ends in this program, of which no operation of the other is pending: the
  // task that used that last, and now waits for something else. no_index: it is unknown.
  TaskIndex session = no_index;
  bool asks = false;  // External: the program connected the socket, and spoke last
  // Unknown, LostWakeup: the object that it awaits, of a library or the program, and the one that
  // the last task to continue there awaits itself.
  std::optional<AwaitedObjectWait> awaited = {};
  std::optional<AwaitedObjectWait> last_awaits = {};
  // LostWakeup: `awaited` has forgotten the task.
  std::optional<Forgotten> forgotten = {};
  // NeverExpires, LostWakeup of a timer: the calls that ended without cancelling it.
  std::optional<Unreturned> unreturned = {};
  std::optional<FailedWaker> failed_waker = {};
  // NeverExpires, of a task that another one called: it has been woken and waited again.
  std::optional<Retried> retried = {};
  // Unknown: the tasks that its awaiter has probably started, and that have not ended: it may wait
  // for them, as one that awaits when_all() does.
  std::vector<TaskIndex> started = {};
  bool expected = false;  // it is marked should_resolve
  // Of one task: diagnose_all() reports neither it nor a task that waits for it as an error. It may
  // have ended, or be a lock that no task waits for.
  bool is_unreported = false;
  // Tasks with the same diagnosis, step by step; for a cycle, its other tasks and their waiters; of
  // a blocked pool, those of one function.
  std::vector<TaskIndex> similar = {};
  // Of a task that the end of its program cut short: how many of its kind have ended by themselves,
  // if all others have (abandoned.h).
  size_t others_ended = 0;
  // Unknown, NeverExpires, LostWakeup: it lasts much longer than others at its place.
  std::optional<EarlierWaits> overtaken = {};
  // Deadlock without a cycle in the chain: it ends at a timer, which is probably that of a lock.
  std::optional<OwnLockWait> own_lock = {};
  // The same, at an operation of a channel that has lasted for a second.
  std::optional<FedChannel> fed_channel = {};
  // The same, at an operation that sends.
  std::optional<MutualSends> mutual_sends = {};
  // Unknown; Deadlock if it is one: it awaits `awaited`, which it has passed before.
  std::optional<Relocked> relocked = {};
  // Of at least `crowd` similar tasks: they may be leaked.
  std::optional<Outlived> outlived = {};
  // Of at least `crowd` tasks that wait at one location, where no task has ever continued: when the
  // last of them began to wait, and how many have. Unknown; External, of tasks that wait for
  // others.
  uint64_t crowd_until = Waits::never;
  size_t crowd_count = 0;

  // A deadlock whose last step waits for another one.
  bool is_cycle() const {
    return verdict == Verdict::Deadlock && !own_lock && !fed_channel && !mutual_sends && !relocked;
  }
  // Nothing is left that could cancel or complete it, as far as is known.
  bool is_hopeless() const { return is_last && (is_alone || has_one_thread); }
  // A line is enough: correct programs look like this, or nothing is known.
  bool is_usual() const { return suspicion >= Suspicion::Unexplained; }
  // Whether something is wrong. A task may wait for an external event or for work forever.
  bool is_error() const;
};

// A task that has been runnable for less than this at the end of the trace is not starved, ns.
inline constexpr uint64_t starvation_threshold_ns = 1'000'000;
// Starvation for less than this is no error: a busy program has queues, and the kernel of a busy
// machine runs threads late. ns.
inline constexpr uint64_t starvation_error_ns = 1'000'000'000;
// Runs of all threads of a pool for less than this are no error: its jobs may be long. ns.
inline constexpr uint64_t blocked_pool_error_ns = 1'000'000'000;
// A task that has run for less than this is Ok, ns.
inline constexpr uint64_t running_threshold_ns = 100'000'000;

// So many tasks that wait at one location, and never continue, may be leaked.
inline constexpr size_t crowd = 20;

// The task or resource that the step waits for, or the task that holds it; no_index if unknown or
// none.
TaskIndex target_of(const Subject& subject, const Diagnosis& diagnosis, size_t step);
// Of the last step of a Starved diagnosis: since when it could run.
uint64_t ready_since(const Model& model, const Waits& waits, const Diagnosis::Step& step);
// The nearest location that the trace contains of what the task did at this time.
struct NearLocation {
  uint32_t location = 0;
  bool is_after = false;  // of the last wait before, after which it continued; else of its creation
};
NearLocation location_near(const Subject& subject, TaskIndex task, uint64_t time);
// The location of its wait or holding; of a running task, that of the wait after which it runs;
// else of its creation, or of its invoker's. `is_after`: of a running task, it is that of such a
// wait.
NearLocation near_location_of(const Subject& subject, const Diagnosis::Step& step);
uint32_t location_of(const Subject& subject, const Diagnosis::Step& step);
// Whether the model ends when the process ended, or now if it runs, and not at its last event.
bool is_end_known(const Model& model);
// The time since which the step is in its state, as in `skein ps`. Of a cancelled task: the start
// of its last wait; of a resource without a holder: its creation. Negative: before the trace.
// `live` must be of this subject.
int64_t since(const Subject& subject, const LiveTaskFinder& live, const Diagnosis::Step& step);

}  // namespace skein
