// What a person means by TASK on the command line.
#pragma once

#include <string>
#include <vector>

#include "trace/model/model.h"

namespace skein::cli {

// The one with this number ("17", "#17"), else all that have the text as label, name or function,
// in the order of their beginnings.
std::vector<TaskIndex> find_tasks(const Trace& trace, const Model& model, const std::string& text);

}  // namespace skein::cli
