// Where the time of similar tasks goes: their number, their latencies, and how long they ran, were
// runnable, and waited.
//
//   for (const TaskGroup& g : task_groups(trace, model, waits, GroupBy::Name))
//     print(g.name, percentile(g.latencies, 0.99), g.running);
//
// ... of a part of the trace: an interval, some tasks, one executor:
//
//   const SelectedGroups some = task_groups(subject, GroupBy::Name, {.from = 10, .to = 20});
//   some.group_of[task];  // for highlights
//
// O(tasks log tasks + activations + waits); needs 32 bytes per task.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

enum class GroupBy : uint8_t {
  // The label, else the name it was created with, else its function; "session 12" is "session #".
  Name,
  Kind,      // coroutine, timer, io ...
  Location,  // function, file:line
};

struct TaskGroup {
  std::string name;
  TaskIndex first = no_index;  // the first task of the group
  uint64_t count = 0;
  uint64_t open = 0;  // have not ended
  uint64_t failed = 0;
  uint64_t cancelled = 0;
  // Sums over all tasks, up to the end of the trace, in ns. The waits of a task may overlap (it
  // waits for several targets at once): overlapping time counts once, as waiting if any wait is not
  // over.
  uint64_t running = 0;
  uint64_t ready = 0;    // runnable, but not running
  uint64_t blocked = 0;  // waiting; of a timer or a read: until it completed
  // All of these without the waits for other tasks that are not operations; waits for operations
  // and resources are included.
  uint64_t self = 0;
  uint64_t total() const { return running + ready + blocked; }
  // From creation to end, of the tasks that ended, ascending.
  std::vector<uint64_t> latencies = {};
};

// All tasks except resources; the group with the longest total time first.
std::vector<TaskGroup> task_groups(const Trace& trace, const Model& model, const Waits& waits,
                                   GroupBy by);

// Everything by default.
struct TaskSelection {
  uint64_t from = 0;                      // a part of each time, ns of the trace
  uint64_t to = UINT64_MAX;               // exclusive; not before `from`
  std::span<const uint8_t> tasks = {};    // by TaskIndex, 0: not this one; empty: all
  std::optional<uint32_t> executor = {};  // what ran there, and the waits that began there
};

struct SelectedGroups {
  static constexpr uint32_t none = UINT32_MAX;
  std::vector<TaskGroup> groups;
  std::vector<uint32_t> group_of;  // index into `groups` by TaskIndex; none: not selected
};

// Of the selected tasks that existed in the interval: times in the interval, latencies of the tasks
// that ended in it. Without a selection the same as task_groups() above.
SelectedGroups task_groups(const Subject& subject, GroupBy by, const TaskSelection& selection);

// The smallest value that at least `share` of all values do not exceed (nearest rank); 0 if empty.
// `ascending` must be sorted.
uint64_t percentile(const std::vector<uint64_t>& ascending, double share);

// The number of values in each power of two: [0] counts 0, [i] counts 2^(i-1) to 2^i - 1.
std::vector<uint64_t> histogram(const std::vector<uint64_t>& values);

}  // namespace skein
