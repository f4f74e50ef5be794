// The coroutines of a process or core without a recorder as a trace of one instant, so that the
// commands that draw and search traces accept it.
//
//   if (const std::optional<MemoryTrace> memory = open_memory_trace("4711", 20))
//   draw(memory->trace);
//
// Memory does not show when something happened. So the trace has no events but a label: its
// coroutines are Trace::live_tasks, created before the trace, and their waits began before it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/unprepared.h"
#include "cli/output/coroutine_chain.h"
#include "trace/read/trace.h"

namespace skein::cli {

struct MemoryTrace {
  Trace trace = {};
  std::string title = {};  // "server (4711), memory"
  // By coroutine of `of`, the id of its task. The ids are in the order of the chains.
  std::vector<TaskId> tasks = {};
  std::vector<JudgedChain> chains = {};  // the worst verdict first
  Unprepared of = {};
};

// How many similar chains a picture shows. With 100,000 it would be a grey area.
inline constexpr uint64_t most_in_picture = 20;

// With at most `most` of each group of similar chains. O(coroutines).
MemoryTrace memory_trace(Unprepared of, uint64_t most);

// Nothing: `text` names neither a core file nor a process that does not record, or this program was
// built without elfutils. Reports on stderr what could not be read. Throws CommandError(2) if no
// coroutines can be read from it.
std::optional<MemoryTrace> open_memory_trace(const std::string& text, uint64_t most);

// What pictures of such a trace say.
inline constexpr std::string_view memory_trace_note =
    "Read from memory, without a recorder: where each coroutine waits, not since when";

}  // namespace skein::cli
