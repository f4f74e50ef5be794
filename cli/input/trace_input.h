// The TRACE argument that most subcommands take: what it may be, and opening it.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "trace/read/trace.h"

namespace skein::cli {

// Reads the whole trace, with a progress bar when that takes long. Throws CommandError(2)
// when it is no trace. `clocks`: see read_trace().
Trace open_trace(const std::string& path, std::span<const TickClock> clocks = {});

// On stderr: what is missing from the trace, or that nothing is in it.
void report_losses(const Trace& trace, const std::string& path);

// Standard input can be one of several traces, not two: throws CommandError(2).
void refuse_twice(std::span<const std::string> paths);

// The notes kept beside a trace (base/notes_file.h), as JSON; empty: there are none. An error says
// why they cannot be read: then they are not to be written over.
Result<std::string> kept_notes(const std::string& trace);

// The same; what cannot be read is said on stderr, and is none.
std::string kept_notes_or_none(const std::string& trace);

// What a trace is called: the last part of its path.
std::string trace_name(std::string path);

}  // namespace skein::cli
