// Places several traces on one time axis, independently of views.
//
//   const Placed traces[] = {{server.info, server_model.end}, {client.info, client_model.end}};
//   const TimeAlignment alignment = align(traces, AlignBy::Clock);
//   double time = alignment.offsets[1] + event.time;  // of the client, on the server's axis
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/read/trace_info.h"

namespace skein {

struct Placed {
  const TraceInfo& info;
  uint64_t duration;  // ns, length of the trace
};

enum class AlignBy : uint8_t {
  Clock,  // if all clocks are known and the traces are close together; else as Start
  Start,
};

struct TimeAlignment {
  std::vector<double> offsets;  // ns: time 0 of each trace on the time axis of the first
  bool by_clock = false;
};

// The distance of two traces with the same counter (TickClock::is_same_axis) is exactly that of
// their ticks. Other traces are aligned by UTC.
TimeAlignment align(std::span<const Placed> traces, AlignBy by);

}  // namespace skein
