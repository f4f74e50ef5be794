// How tasks, executors and locations are called in texts, on a terminal as in a picture. As they
// are in the trace: callers escape them.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "trace/model/model.h"

namespace skein {

// Its label, else what it was created as, else its function; empty when nothing is known.
std::string task_name(const Trace& trace, StringId label, StringId name, uint32_t location);
std::string task_name(const Trace& trace, const Model::Task& task);
// "query (#7)"; without a name its kind: "timer (#7)", "#7"; of a resource both: "condition
// answered
// (#20)".
std::string task_title(const Trace& trace, const Model::Task& task);

// The name of a kind of tasks or resources; empty for an unknown one.
std::string kind_name(const Trace& trace, uint64_t kind);

// How a task ended: "live", "resolved", "failed" ...; stable, used in JSON, SQL and CSV.
inline constexpr std::array<std::string_view, 6> end_names = {
    "live", "resolved", "failed", "cancelled", "became", "overwritten"};
static_assert(static_cast<size_t>(Model::End::Overwritten) + 1 == end_names.size());
constexpr std::string_view name(Model::End end) { return end_names[static_cast<size_t>(end)]; }

// "use_network 050-hang.cc:45", without the namespaces of a long name; empty for no location.
std::string location_text(const Trace& trace, uint32_t location);

// An OS thread as perf calls it, name/tid: "main/4711"; "main", "thread 4711", "executor 0".
std::string executor_title(const Trace& trace, uint32_t index);
// ... without its thread id if it has a name.
std::string executor_name(const Trace& trace, uint32_t index);

// The message about a trace without events.
inline constexpr std::string_view no_events = "no events; was recording enabled?";

}  // namespace skein
