// Finds tasks by user input.
#pragma once

#include <string_view>
#include <vector>

#include "trace/model/model.h"

namespace skein {

// The task with this id ("17", "#17", "session (#17)"); else all tasks whose label, name or
// function equals `text`, by start.
std::vector<TaskIndex> find_tasks(const Trace& trace, const Model& model, std::string_view text);

// The end of the task; the end of the trace if it is live.
uint64_t end_of(const Model& model, TaskIndex task);

// The longest of `tasks`, which is most likely the one of interest; no_index if empty.
TaskIndex longest_of(const Model& model, const std::vector<TaskIndex>& tasks);

}  // namespace skein
