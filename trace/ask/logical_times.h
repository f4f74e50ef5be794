// Where tasks spend their time, by logical stack: the tasks that await each other, from the
// outermost to the innermost. The await flame graph: the program's stacks, not its event loop's.
//
//    time   0         10                   40        50    57
//    serve  runs      awaits query (a.cc:3)                ready, runs ...
//    query            awaits a timer       ready     runs
//
//    serve                       10 running        serve a.cc:3;query b.cc:8;timer  30 suspended
//    serve a.cc:3;query           7 running        serve a.cc:3;query              10 ready
//
//   const LogicalTimes times = find_logical_times(subject);
//   const StackTree tree = logical_tree(subject, times, {.states = {.suspended = true}});
//   const std::string svg = flame_svg(tree, {.unit = "ns"});
//
// An interval is a time in which the innermost task of a chain of waiters was in one state, and the
// chain did not change:
//
//   running    it was current on a thread
//   ready      its wait was over, and no thread had resumed it
//   suspended  it waited for what is below it in the stack: an operation, a resource, a task that
//              has not started or that another task awaits, too; nothing, if the trace does not
//              contain it
//
// So each moment of a run or wait is in exactly one interval: while `query` waits or runs, the wait
// of `serve` for it is in the stacks of `query`. A task that waits for several others is in the
// stacks of each. If several tasks await one, its stack continues with the one whose wait began
// first; the waits of the others are suspended at that task. So is the wait that closes a cycle:
// a deadlock is `a;b;a`. A wait that has not ended counts up to the end of the trace.
//
// when_all: a wait whose target is not known is for the waiter's children of the task that ended
// it, if that is one of its children: those of its function that have ended by then. A generator,
// or a task in its first run that its creator has called, runs below its caller; a generator at a
// value waits for nothing.
//
// Frames. A waiter is its function (or the name it was created with) with the line of its await;
// similar tasks share a frame, so it has its label in brackets only if its function has few.
//
// Nothing here needs files, threads or exceptions: the page and the window use it, too. Two steps,
// because a selection changes with each move of the mouse: the stacks are found once for a trace,
// O(events), and each tree takes O(intervals).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profile/flame/stack_tree.h"
#include "trace/ask/waits.h"

namespace skein {

struct LogicalTimes {
  enum class State : uint8_t { Running, Ready, Suspended };

  static constexpr uint32_t root = 0;
  struct Stack {
    uint32_t parent = root;  // of `stacks`, and before this one
    uint32_t name = 0;       // of `names`: its innermost frame
  };
  struct Interval {
    uint64_t begin = 0;
    uint64_t end = 0;           // > begin
    TaskIndex task = no_index;  // the innermost one: it ran, was ready, or waited
    StringId label = 0;         // its own, or that of the innermost of its waiters that has one
    uint32_t stack = root;      // of `stacks`
    uint32_t executor : 30 = (1U << 30) - 1;  // it ran on, or had run on before; no_executor: none
    State state : 2 = State::Running;
  };
  static constexpr uint32_t no_executor = (1U << 30) - 1;

  // [0]: the root. Frames below the 500th are "(not followed)", as are chains that change too
  // often.
  std::vector<Stack> stacks;
  std::vector<std::string> names;
  std::vector<Interval> intervals;  // in no order
  uint64_t unfinished = 0;          // waits without an end, which count up to the end of the trace
};

// Chains that change, cycles and damaged traces included: never loops, never fails.
LogicalTimes find_logical_times(const Subject& subject);

enum class StacksBy : uint8_t {
  None,
  Task,      // the innermost: "query (#7)"
  Executor,  // threads of one name together, as those of a pool: "worker"
  Thread,    // "worker/4711"
  Label,     // LogicalTimes::Interval::label
};

struct LogicalSelection {
  struct States {
    bool running = false;
    bool ready = false;
    bool suspended = false;
  };
  States states = {};  // with several of them, the innermost frames are (running) and (ready)
  StacksBy by = StacksBy::None;              // the outermost frame
  uint64_t from = 0;                         // a part of each interval, ns of the trace
  uint64_t to = UINT64_MAX;                  // exclusive
  const std::vector<uint8_t>* tasks = nullptr;  // by TaskIndex, of Interval::task; null: all
  std::optional<uint32_t> executor = {};        // of Interval::executor; none: all
};

// What all intervals of a group have in common, and its frame.
uint32_t stacks_group(StacksBy by, const LogicalTimes::Interval& interval);
std::string stacks_group_name(const Subject& subject, StacksBy by, uint32_t group);

bool is_selected(const LogicalSelection& selection, const LogicalTimes::Interval& interval);

// Weights are in ns. Complete: `least_share` of the weight (FlameLook) is applied to siblings here,
// so that a tree for a picture is small.
StackTree logical_tree(const Subject& subject, const LogicalTimes& stacks,
                       const LogicalSelection& selection, double least_share = 0);

// 1 for each task that has time of the selection in a frame of its tree or above it, by TaskIndex.
// `path`: the names from the outermost frame to that one. Precondition: the selection has no
// groups. O(stacks + intervals).
std::vector<uint8_t> tasks_in_frame(const Subject& subject, const LogicalTimes& stacks,
                                    const LogicalSelection& selection,
                                    std::span<const std::string> path);

}  // namespace skein
