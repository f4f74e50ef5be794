// What a trace's tasks, kinds and threads are called in panels and menus; safe to show.
#pragma once

#include <string>

#include "base/text.h"
#include "trace/model/model.h"

namespace skein {

// "ring.write (#1205)"
std::string task_text(const Trace& trace, const Model& model, TaskIndex task);
// "worker-3 (thread 4711)", "executor 0".
std::string executor_text(const Trace& trace, uint32_t executor);
std::string kind_text(const Trace& trace, const Model::Task& task);
// "tcp.cc:47 (Tcp::connect)"
std::string source_text(const Trace& trace, uint32_t location);

// How long from one time to another: "1.25 ms"; 0 if the second is earlier.
std::string interval_text(uint64_t from, uint64_t to);

}  // namespace skein
