// The model of a trace, as viewers draw it: tasks from start to end, activations, waits and
// wake-ups, counters.
//
//   const Model model = build_model(trace);
//   for (const Model::Task& task : model.tasks)
//     if (task.is_unresolved()) print(trace.strings[task.label]);
//
// docs/model.md defines the rules that derive the model; each has tests with diagrams. Tasks are
// referred to by index, in the order of the first events of their ids, not by id: an id may be used
// twice in a damaged trace, and an index is an array access. Takes one pass over the events and one
// over the tasks: O(events). The structs are small because there are many of them: 56 bytes per
// task, 24 per arrow or activation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/model/id_map.h"
#include "trace/read/trace.h"

namespace skein {

using TaskIndex = uint32_t;
inline constexpr TaskIndex no_index = UINT32_MAX;

struct Model {
  // Overwritten: it has ended, but the ring has overwritten when and how.
  enum class End : uint8_t { Open, Resolved, Failed, Cancelled, Became, Overwritten };

  struct Task {
    TaskId id = no_task;
    // As drawn: a bind that only waited starts at its read (rule 4), a task without an end extends
    // to the end of the trace or stops after its last event (rule 5), and a pre-existing one starts
    // at 0 (rule 1).
    uint64_t start = 0;
    uint64_t end = 0;
    TaskIndex parent = no_index;    // as drawn; no_index: the root
    TaskIndex becomes = no_index;   // its successor (rule 2)
    StringId label = 0;             // its first; 0: none
    StringId name = 0;              // the name it was created with: "socket.async_send"
    StringId reason = 0;            // why it failed or was cancelled
    uint32_t kind = UINT32_MAX;     // index into Trace::kinds; UINT32_MAX: unknown
    uint32_t location = 0;          // where it was created; index into Trace::locations
    uint32_t executor : 23 = 0;     // the one that created it; index into Trace::executors
    bool is_discarded : 1 = false;  // no code reads its failure
    End how : 3 = End::Open;
    bool pre_existing : 1 = false;    // its create is not in the trace
    bool should_resolve : 1 = false;  // marked should_resolve
    bool starts_late : 1 = false;  // by rule 4, or pre-existing: no line from its parent is drawn
    bool is_resource : 1 = false;  // a mutex, condition, channel ...: waited on, never current
    bool is_scope : 1 = false;

    bool failed() const { return how == End::Failed; }
    // Marked should_resolve but not ended: an error (rule 5). Its bar extends to the end of the
    // trace.
    bool is_unresolved() const { return should_resolve && how == End::Open; }
  };

  // An arrow. Its two times differ (rule 7): a read leaves where the source's bar ends. `from` is
  // the task that acted or whose result was read, `to` is the task affected.
  enum class Link : uint8_t {
    Read,         // `to` got the result of `from`
    ReadFailure,  // the same for a failure
    Resolve,      // `from` ended `to`
    Notify,       // `from` woke `to`
    Await,        // `from` began to wait for `to`, which was pending
    Message,      // between machines; from, to may be no_index
  };
  struct Interaction {
    uint64_t from_time : 61 = 0;
    Link link : 3 = Link::Read;
    uint64_t to_time = 0;
    TaskIndex from = no_index;
    TaskIndex to = no_index;
  };

  struct Activation {  // the task was current on the executor
    uint64_t start = 0;
    uint64_t end = 0;
    TaskIndex task = no_index;
    uint32_t executor = 0;
  };
  struct ExecutorInterval {  // an interval in which the executor slept or paused
    uint64_t start = 0;
    uint64_t end = 0;
    StringId reason = 0;  // 0: a sleep without a reason
    uint32_t executor = 0;
  };
  struct Label {
    uint64_t time = 0;
    TaskIndex task = no_index;
    StringId text = 0;
  };
  struct Span {
    uint64_t start = 0;
    uint64_t end = 0;
    TaskIndex task = no_index;
    StringId name = 0;
  };
  // A timer, a socket, a signal set ...: operations use it, and tasks wait for these operations. It
  // is no task and has no bar.
  struct Object {
    static constexpr uint64_t never = UINT64_MAX;
    static constexpr uint32_t none = UINT32_MAX;
    TaskId id = no_task;
    uint64_t start = 0;
    uint64_t end = never;        // it was closed or destroyed, if that is recorded
    TaskIndex maker = no_index;  // the task that used it first
    TaskIndex ended_by = no_index;
    StringId name = 0;
    uint32_t kind = UINT32_MAX;   // index into Trace::kinds; UINT32_MAX: unknown
    uint32_t last_use = none;     // index into concerns
    uint32_t last_cancel = none;  // index into cancels
    bool pre_existing = false;
    // Of a socket: its addresses (trace/read/connection.h; 0: unknown), and its descriptor.
    StringId connection = 0;
    uint64_t descriptor = 0;
  };
  struct Concern {  // an operation, and what it uses
    TaskIndex task = no_index;
    uint32_t object = Object::none;  // index into objects; none: unknown
    uint32_t before = Object::none;  // the object's previous use
    uint64_t expires = 0;  // when it completes by itself; 0: unknown, Object::never: never
  };
  struct Cancel {  // a task cancelled the operations that use an object, even if there was none
    uint64_t time = 0;
    uint32_t object = Object::none;
    TaskIndex by = no_index;
    uint32_t before = Object::none;  // the object's previous one
  };
  // A notification that woke no task and is not stored, as of a condition.
  struct Unheard {
    uint64_t time = 0;
    TaskIndex by = no_index;
  };
  struct Counter {
    struct Point {
      uint64_t time = 0;
      int64_t value = 0;  // from `time` to the next point
    };
    StringId name = 0;
    uint32_t scale = 0;  // index into scales
    std::vector<Point> points;
  };
  // Shared by counters whose names differ only after the last '#' (rule 6). Always includes zero.
  struct Scale {
    int64_t low = 0;
    int64_t high = 0;
  };

  static_assert(sizeof(Task) == 56 && sizeof(Interaction) == 24 && sizeof(Activation) == 24);

  std::vector<Task> tasks;
  std::vector<Interaction> interactions;  // by to_time
  std::vector<Activation> activations;    // by start; those of one executor do not overlap
  std::vector<ExecutorInterval> sleeps;   // by start
  std::vector<ExecutorInterval> pauses;   // by start
  std::vector<Label> labels;              // by time
  std::vector<Span> spans;                // by start
  std::vector<Object> objects;            // by start
  std::vector<Concern> concerns;          // by task, each at most once
  std::vector<Cancel> cancels;            // by time
  std::vector<Unheard> unheard;           // by time
  std::vector<Counter> counters;          // by name
  std::vector<Scale> scales;
  uint64_t end = 0;         // of the last event, TraceInfo::ended or ModelOptions::until or before
  size_t events = 0;        // it is built from so many of the trace's events, which are the first
  uint64_t last_event = 0;  // the time of the last of them; 0: there is none
  bool is_live = false;     // ModelOptions::is_live: the process existed at the end
  // The other events of the trace are the destruction of what was left at the end.
  bool is_torn_down = false;
  IdMap ids;  // for find()

  // The task with this id that was created last; no_index if the id never occurs.
  TaskIndex find(TaskId id) const;
  // Whether the task has not ended.
  bool is_open(TaskIndex task) const { return tasks[task].how == End::Open; }
  // What the operation uses; null: nothing, or the trace does not contain it.
  const Concern* concern(TaskIndex task) const;
  // The last successor of the task; the task itself if it has none.
  TaskIndex last_self(TaskIndex task) const;
};

struct ModelOptions {
  bool simplify = true;  // rule 4
  uint64_t until = 0;    // if later than the last event: the model ends here
  bool is_live = false;  // the process exists: it lives on after the last event
  // When the program began to destroy what was left (trace/ask/torn_down.h): the model has only the
  // events before this time, and ends here.
  std::optional<uint64_t> before = {};
};
Model build_model(const Trace& trace, const ModelOptions& options = {});

}  // namespace skein
