// Reads skein's own trace directories; see skein/format.h for their contents.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "trace/read/ctf/metadata.h"
#include "trace/read/ctf/names.h"
#include "trace/read/ctf/task_table.h"
#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein::ctf {

// Whether `path` is a directory with a file `metadata`, hence a CTF trace, of skein or not.
bool has_metadata(Files& files, const std::string& path);

// Whether a directory without `metadata` is a skein trace: a file named as the recorder names them
// contains a skein packet.
bool has_our_packets(Files& files, const std::string& path);

// Whether a file of a trace directory, with this name and these first bytes, is part of the trace:
// the metadata, or a file that begins with a packet, even a truncated one. read() takes nothing
// from other files, except `.tasks`.
bool is_trace_file(std::string_view name, std::span<const uint8_t> head);

// Reads the whole trace. Damage is listed in Trace::losses. Fails only if the trace is of another
// tracer or of a later version, or if neither metadata nor packets identify it as skein's
// (salvage.h). Also works on the directory of a running program; the result then contains what was
// committed when each chunk was read. A snapshot (skein snapshot) has the same contents, but is
// permanent. `clocks`: see read_trace().
Result<Trace> read(Files& files, const std::string& path, const Progress& progress = {},
                   std::span<const TickClock> clocks = {});

// Reads only the live tasks: definitions and task table, without the events. Time 0 is that of the
// newest row, so every live task is older than the trace. For a running process, whose events may
// take long to read. Time O(live tasks + definitions). Sets `table` to the task table that was
// used.
Result<Trace> read_live_tasks(Files& files, const std::string& path, TaskTableSnapshot& table);

}  // namespace skein::ctf
