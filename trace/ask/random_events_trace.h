// Random traces without meaning, for tests.
#pragma once

#include <random>

#include "trace/read/trace.h"

namespace skein {

// Events of a few tasks, in any order, as in a damaged trace.
inline Trace random_events_trace(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint64_t n) { return random() % n; };
  Trace trace;
  trace.info.format = seed % 2 ? "mirage-profile" : "skein";
  for (const char* kind :
       {"unknown", "coroutine", "timer", "mutex", "condition", "channel", "handler"})
    trace.kinds.push_back(trace.strings.intern(kind));
  trace.executors.resize(2);
  uint64_t now = 0;
  for (uint64_t i = 0; i < 60; i++)
    trace.events.append({.time = now += below(3),
                         .task = below(6),
                         .other = below(6),
                         .value = below(7),
                         .location = 0,
                         .executor = static_cast<uint32_t>(below(2)),
                         .kind = static_cast<EventKind>(below(event_kinds)),
                         .flags = static_cast<uint8_t>(below(2) ? flag::makes_current : 0)});
  return trace;
}

}  // namespace skein
