// Summarizes a trace in a dozen numbers, for `skein info`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct Summary {
  uint64_t events = 0;
  // By the format's names, or by skein's if it has none; only kinds that occur.
  std::vector<std::pair<std::string, uint64_t>> kinds;
  // Tasks of the model, without resources. tasks = ended + live.
  uint64_t tasks = 0;
  uint64_t ended = 0;
  uint64_t live = 0;
  uint64_t waiting = 0;  // live, and is_waiting() (trace/ask/live_tasks.h)
  uint64_t failed = 0;
  uint64_t pre_existing = 0;  // without a create event
  uint64_t created_twice = 0;
  uint64_t stuck = 0;                                   // marked should_resolve, but did not end
  uint64_t labels = 0;                                  // label events
  uint64_t resources = 0;                               // created in the trace
  std::vector<std::pair<StringId, uint64_t>> counters;  // updates by name, most first
  uint64_t span_ns = 0;                                 // from the first event to the last
  uint64_t thread_waits = 0;                            // of threads, with their stacks
  uint64_t thread_waits_ns = 0;                         // how long they took together
  uint64_t lost_events = 0;                             // of losses whose number is known
};

Summary summarize(const Subject& subject);
// Builds the model and finds the waits.
Summary summarize(const Trace& trace);

}  // namespace skein
