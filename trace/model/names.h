// Display names of tasks, executors and locations, for terminals and pictures. The names are as in
// the trace: callers escape them.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "trace/model/model.h"

namespace skein {

// The label, else the name it was created with, else its function; empty if all are unknown.
std::string task_name(const Trace& trace, StringId label, StringId name, uint32_t location);
std::string task_name(const Trace& trace, const Model::Task& task);
// "query (#7)"; a task without a name has its kind: "timer (#7)", "#7"; a resource has both:
// "condition answered (#20)".
std::string task_title(const Trace& trace, const Model::Task& task);

// The name of a task or resource kind; empty if unknown.
std::string kind_name(const Trace& trace, uint64_t kind);

// How a task ended: "live", "resolved", "failed" ... Stable: used in JSON, SQL and CSV.
inline constexpr std::array<std::string_view, 6> end_names = {
    "live", "resolved", "failed", "cancelled", "became", "overwritten"};
static_assert(static_cast<size_t>(Model::End::Overwritten) + 1 == end_names.size());
constexpr std::string_view name(Model::End end) { return end_names[static_cast<size_t>(end)]; }

// Whether the task is an operation that ended because it was cancelled, as a timeout does that was
// not needed: it has failed with the text of ECANCELED.
bool was_aborted(const Trace& trace, const Model::Task& task);

// "use_network 050-hang.cc:45"; a long name without its namespaces; empty for no location.
std::string location_text(const Trace& trace, uint32_t location);

// The name/tid of an OS thread, as in perf: "main/4711"; else "main", "thread 4711", "executor 0".
std::string executor_title(const Trace& trace, uint32_t index);
// Like executor_title(), but without the thread id if the executor has a name.
std::string executor_name(const Trace& trace, uint32_t index);

// What pictures of a profile state (TraceInfo::is_sampled): what their times mean.
std::string sampled_note(const Trace& trace);

// The message about a trace without events.
inline constexpr std::string_view no_events = "no events; was recording enabled?";

}  // namespace skein
