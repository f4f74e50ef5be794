// Checks and opens the TRACE argument that most commands take.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "trace/read/trace.h"

namespace skein::cli {

// What a command accepts besides traces. A message about another file lists it.
struct AcceptedInputs {
  bool memory = false;
  bool profiles = true;  // perf.data
  bool folded = false;   // stacks
};

// Reads the whole trace, with a progress bar if that takes long; of a profile (profile_input.h), its
// samples. Throws CommandError(2) if it is not a trace. `clocks`: see read_trace().
Trace open_trace(const std::string& path, std::span<const TickClock> clocks = {},
                 AcceptedInputs inputs = {});

// Adds `inputs` to the advice of an error of read_trace(), if it has one.
void add_to_advice(AcceptedInputs inputs, Error& error);

// Throws CommandError(2) if `path` is a core file: it has no events.
void reject_core(const std::string& path);

// For analyses of what a trace does not contain: throws CommandError(2) if it is from the samples of
// a profile.
void require_recording(const Trace& trace, const std::string& path);

// Throws CommandError(2) if events of the trace were dropped for lack of memory.
void require_all_events(const Trace& trace, const std::string& path);

// Reports on stderr what the trace lost, and whether it contains no events.
void report_losses(const Trace& trace, const std::string& path);

// Throws CommandError(2) if more than one path is `-` (standard input).
void reject_duplicate_stdin(std::span<const std::string> paths);

// Returns the contents of the notes file beside a trace (base/notes_file.h), as JSON; empty if
// there are none. On an error the file must not be overwritten.
Result<std::string> kept_notes(const std::string& trace);

// Like kept_notes, but reports an error on stderr and returns an empty string.
std::string kept_notes_or_none(const std::string& trace);

// Returns the display name of a trace: the last component of its path.
std::string trace_name(std::string path);

}  // namespace skein::cli
