// Which task a person means.
#pragma once

#include <string_view>
#include <vector>

#include "trace/model/model.h"

namespace skein {

// The one with this number ("17", "#17"), else all that have the text as label, name or function,
// in the order of their beginnings.
std::vector<TaskIndex> find_tasks(const Trace& trace, const Model& model, std::string_view text);

// What has not ended goes on to the end of the trace.
uint64_t end_of(const Model& model, TaskIndex task);

// Of several the one that took longest: that is the one somebody looks for. no_index: of none.
TaskIndex longest_of(const Model& model, const std::vector<TaskIndex>& tasks);

}  // namespace skein
