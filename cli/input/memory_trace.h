// The coroutines of a process or core without a recorder as a trace of one instant, so that the
// commands that draw and search traces accept it.
//
//   if (const std::optional<MemoryTrace> memory = open_memory_trace("4711")) draw(memory->trace);
//
// Memory does not tell when something happened. So the trace has no events but the names of the
// threads, at time 0: its coroutines are those of Trace::live_tasks, created before the trace, and
// their waits began before it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/unprepared.h"
#include "trace/read/trace.h"

namespace skein::cli {

struct MemoryTrace {
  Trace trace = {};
  std::string title = {};  // "server (4711), memory"
  // By coroutine of `of`, the id of its task. In the order of the waits: each coroutine is followed
  // by the one that it waits for.
  std::vector<TaskId> tasks = {};
  Unprepared of = {};
};

// O(coroutines).
MemoryTrace memory_trace(Unprepared of);

// Nothing: `text` names neither a core file nor a process that does not record, or this program was
// built without elfutils. Reports on stderr what could not be read. Throws CommandError(2) if no
// coroutines can be read from it.
std::optional<MemoryTrace> open_memory_trace(const std::string& text);

// What pictures of such a trace say.
inline constexpr std::string_view memory_trace_note =
    "memory without a recorder: where each coroutine waits, but not since when";

}  // namespace skein::cli
