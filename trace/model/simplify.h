// Changes to the tasks after the last event: rules 4 and 5 of docs/model.md.
#pragma once

#include <vector>

#include "trace/model/model.h"

namespace skein {

// The first interactions of a task, as indices into Model::interactions.
struct Beginnings {
  static constexpr uint32_t none = UINT32_MAX;
  static constexpr uint32_t other = UINT32_MAX - 1;  // an event that is not an interaction

  uint32_t acted = none;  // the first in which the task acts
  uint32_t tried = none;  // the first wait for the task, if it was pending
};

// Rule 4: a bind that only waits starts at its first read. `binds` is indexed by kind and marks the
// kinds that the rule applies to.
void simplify_binds(Model& model, const std::vector<Beginnings>& beginnings,
                    const std::vector<bool>& binds);

// Rule 5: sets the ends of the bars of tasks without an end event. A task whose last event is at
// `ends_known_from` or later would have an end event if it had ended.
void end_open_tasks(Model& model, uint64_t ends_known_from);

// Makes a task that is its own ancestor a child of the root.
void break_parent_cycles(Model& model);

}  // namespace skein
