// Where the time of similar tasks goes: how many there were, how long they took, and how
// much of it they ran, could have run, and waited.
//
//   for (const TaskGroup& g : task_groups(trace, model, waits, GroupBy::Name))
//     print(g.name, percentile(g.latencies, 0.99), g.running);
//
// O(tasks log tasks + activations + waits); needs 20 bytes a task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

enum class GroupBy : uint8_t {
  // Its label, else what it was created as, else its function; "session 12" as "session #".
  Name,
  Kind,      // coroutine, timer, io ...
  Location,  // function, file:line
};

struct TaskGroup {
  std::string name;
  TaskIndex first = no_index;  // of it
  uint64_t count = 0;
  uint64_t open = 0;    // of these have not ended
  uint64_t failed = 0;
  uint64_t cancelled = 0;
  // Sums over all of them, up to the end of the trace, in ns. The waits of a task may overlap (it
  // waits for several targets at once): each moment counts once, as waiting if any wait is not over.
  uint64_t running = 0;
  uint64_t ready = 0;    // they could go on, and waited for their turn
  uint64_t blocked = 0;  // they waited; of a timer, a read: until it completed
  // From creation to end, of those that ended, ascending.
  std::vector<uint64_t> latencies = {};
};

// Of all tasks but resources; what takes the longest in sum is first.
std::vector<TaskGroup> task_groups(const Trace& trace, const Model& model, const Waits& waits,
                                   GroupBy by);

// The least value that at least this share of all is not above (nearest rank); 0 of none.
// `ascending` must be.
uint64_t percentile(const std::vector<uint64_t>& ascending, double share);

// How many values are in each power of two: [0] is 0, [i] is 2^(i-1) to 2^i - 1.
std::vector<uint64_t> histogram(const std::vector<uint64_t>& values);

}  // namespace skein
