// Opens a trace of any known format: detects the format, picks the reader and reads the whole
// trace.
//
//   DiskFiles disk;
//   Result<Trace> trace = read_trace(disk, path);
//   if (!trace) { print(trace.error().message()); return 2; }
//
// An error means that the input is not a trace: nothing in it is recognisable. A damaged trace is
// not an error: the reader reads what it can, and Trace::losses lists what is missing and where.
// Memory is bounded by a small multiple of the input's size, time by its size. The input is
// untrusted.
#pragma once

#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein {

// `clocks` are the clocks of the traces that this one is shown with. If one of them counts the same
// ticks, its frequency is used instead of the trace's own (tick_clock.h).
Result<Trace> read_trace(Files& files, const std::string& path, const Progress& progress = {},
                         std::span<const TickClock> clocks = {});

}  // namespace skein
