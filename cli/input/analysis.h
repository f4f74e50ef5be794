// What the commands that answer questions about a trace (why, critical, diff, doctor, stats) begin
// with.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trace/ask/find.h"
#include "trace/ask/waits.h"

namespace skein::cli {

struct Analysis {
  Trace trace;
  Model model;  // not simplified
  Waits waits;
};
// Opens the trace of a recording process (its number), as it is now, or a trace, as it was at its
// last event. `clocks`: see read_trace(). Prints losses to stderr; throws CommandError(2) for an
// argument that is neither.
Analysis open_analysis(const std::string& trace_or_pid, std::span<const TickClock> clocks = {});

}  // namespace skein::cli
