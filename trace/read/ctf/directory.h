// Reads our own trace directories: see skein/format.h for what lies in one.
#pragma once

#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "trace/read/ctf/metadata.h"
#include "trace/read/ctf/names.h"
#include "trace/read/ctf/task_table.h"
#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein::ctf {

// Is `path` a directory with a file `metadata`, hence a CTF trace, ours or not?
bool has_metadata(Files& files, const std::string& path);

// Is it one of ours without `metadata`: is there a packet in a file named as our recorder does?
bool has_our_packets(Files& files, const std::string& path);

// All of it. Damage is in Trace::losses; an error only when the trace is somebody else's or of a
// later version, or neither metadata nor packets say that it is ours (salvage.h). Works on the
// directory of a running program too, and gives what was committed when each chunk was read; a
// snapshot (snapshot.h) gives the same, but keeps it. `clocks`: see read_trace().
Result<Trace> read(Files& files, const std::string& path, const Progress& progress = {},
                   std::span<const TickClock> clocks = {});

// The live tasks alone: definitions and task table, without the events. Time 0 is that of the
// newest row, so every live task is older than the trace. For a running process, whose events may
// take long to read: O(live tasks + definitions). `table` is the one it was made from.
Result<Trace> read_live_tasks(Files& files, const std::string& path, TaskTableSnapshot& table);

}  // namespace skein::ctf
