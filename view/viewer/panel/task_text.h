// Texts for a trace's tasks, kinds and executors (trace/model/names.h), safe to display.
#pragma once

#include <string>

#include "base/text.h"
#include "trace/model/model.h"

namespace skein {

// task_title(), or "the event loop".
std::string task_text(const Trace& trace, const Model& model, TaskIndex task);
// executor_title()
std::string executor_text(const Trace& trace, uint32_t executor);
std::string kind_text(const Trace& trace, const Model::Task& task);

// The duration from one time to another: "1.25 ms"; 0 if the second is earlier.
std::string interval_text(uint64_t from, uint64_t to);

}  // namespace skein
