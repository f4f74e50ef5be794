// Levels that only grow: counters, queue lengths, numbers of waiters for a lock.
//
// Divides the time from the first value to the end of the trace into ten parts. A level only grows
// if the lowest value of each part is higher than that of the part before, and the level changed at
// least 20 times. It may fall in between, but not to an earlier low.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct Growth {
  TaskIndex resource = no_index;  // either this or the counter
  StringId counter = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  int64_t from = 0;
  int64_t to = 0;
};

// `points` must be by time; each value holds until the next.
std::optional<Growth> growth(const std::vector<Model::Counter::Point>& points, uint64_t end);

// A counter that is only added to is a total ("bytes sent"), which always grows: not reported. A
// counter that is also set, or falls, is a level.
std::vector<Growth> growing_counters(const Trace& trace, const Model& model);

// For channels and queues, the number of items: one more for each notify that woke no task, one
// fewer for each receiver that found an item, and 0 when a receiver waits. For mutexes and
// semaphores, the number of waiters.
std::vector<Growth> growing_queues(const Trace& trace, const Model& model, const Waits& waits);

}  // namespace skein
