// The report of `skein stats`: groups of tasks, their latencies, and where that time went.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/json.h"
#include "trace/ask/stats.h"

namespace skein {

// `has_waits`: the trace records waits; otherwise the state of tasks that do not run is unknown.
std::string stats_text(const std::vector<TaskGroup>& groups, bool has_waits);
// The distribution of latencies, a line for each power of two; bars are made of `block`.
std::string latency_histogram(const TaskGroup& group, std::string_view block);
// skein.stats of docs/json.md.
Json stats_json(const std::vector<TaskGroup>& groups);

}  // namespace skein
