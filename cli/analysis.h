// What the commands that answer questions about a trace (why, critical, diff, doctor, stats) begin
// with.
#pragma once

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
// Of a process that records (its number), as it is now, or a trace, as it was at its last event.
// Says on stderr what was lost; ends with exit code 2 for what is neither.
Analysis open_analysis(const std::string& trace_or_pid);

}  // namespace skein::cli
