// Opens a trace for the commands that analyse it (why, critical, diff, doctor, stats).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/input/trace_input.h"
#include "trace/ask/find.h"
#include "trace/ask/waits.h"

namespace skein::cli {

struct Analysis {
  Trace trace;
  Model model;  // not simplified
  Waits waits;
  bool is_live = false;  // of a process, by PID
};
// Opens the trace of a recording process (by PID) up to now, or a trace up to its last event.
// `clocks`: see read_trace(); `inputs`: see open_trace(). Prints losses to stderr. Throws
// CommandError(2) if the argument is neither.
Analysis open_analysis(const std::string& trace_or_pid, std::span<const TickClock> clocks = {},
                       AcceptedInputs inputs = {});

}  // namespace skein::cli
