// Levels that only grow: of counters, of what is in a queue, of who waits for a lock.
//
// The time from the first value to the end of the trace is cut into ten parts. A level only grows
// if the lowest value of each part is higher than that of the part before, and it has changed 20
// times and more: it may fall in between, and never to where it was.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct Growth {
  TaskIndex resource = no_index;  // or
  StringId counter = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  int64_t from = 0;
  int64_t to = 0;
};

// `points` by time; each value holds up to the next.
std::optional<Growth> growth(const std::vector<Model::Counter::Point>& points, uint64_t end);

// A counter that is only ever added to is a total ("bytes sent") and always grows: not reported.
// One that is set, or that also falls, is a level.
std::vector<Growth> growing_counters(const Trace& trace, const Model& model);

// Of channels and queues what is in them: one more for each notify that woke nobody, one less for
// each receiver that found one there; none when a receiver had to wait. Of mutexes and semaphores
// how many wait for them.
std::vector<Growth> growing_queues(const Trace& trace, const Model& model, const Waits& waits);

}  // namespace skein
