// Checks that a trace read from any other tool's file satisfies the contract in
// trace/read/event_schema.h.
#pragma once

#include <cstdlib>

#include "fuzz/model.h"
#include "trace/read/event_schema.h"

namespace skein {

inline void check_foreign(const Trace& trace, size_t size) {
  const auto require = [](bool condition) {
    if (!condition) std::abort();
  };
  const Events& events = trace.events;
  require(events.size() <= size);
  for (size_t i = 0; i < events.size(); i++) {
    require(i == 0 || events.time[i - 1] <= events.time[i]);
    require(events.text[i] < trace.strings.size());
    require(events.executor[i] < trace.executors.size());
    require(events.location[i] < trace.locations.size());
    require(static_cast<size_t>(events.kind[i]) < event_kinds);
    switch (event_schema(events.kind[i]).value.role) {
      case ValueRole::Kind:
        require(events.value[i] < trace.kinds.size());
        break;
      case ValueRole::Stack:
        require(events.value[i] < trace.stacks.size());
        break;
      case ValueRole::ClockReading:
        require(events.value[i] < trace.clock_readings.size());
        break;
      default:
        break;
    }
  }
  for (const Loss& loss : trace.losses) require(loss.offset <= size && !loss.what.empty());
  check_model(trace);
}

}  // namespace skein
