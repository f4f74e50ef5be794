// Opens a trace of any format it knows: looks at what is there, picks the reader, reads it all.
//
//   DiskFiles disk;
//   Result<Trace> trace = read_trace(disk, path);
//   if (!trace) { print(trace.error().message()); return 2; }
//
// An error means that this is no trace: nothing in it is recognisable. A damaged trace is no error:
// what can be read is read, and Trace::losses says what is missing and where. Memory is bounded by
// a small multiple of the input's size; time by its size. Input is never trusted.
#pragma once

#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein {

// `clocks` are those of the traces that this one is shown with: if one of them counts the same
// ticks, its frequency is used instead of the trace's own (tick_clock.h).
Result<Trace> read_trace(Files& files, const std::string& path, const Progress& progress = {},
                         std::span<const TickClock> clocks = {});

}  // namespace skein
