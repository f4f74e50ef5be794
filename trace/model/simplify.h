// What is done to the tasks when all events have been seen: rules 4 and 5 of docs/model.md.
#pragma once

#include <vector>

#include "trace/model/model.h"

namespace skein {

// What a task did first and was asked first, as indices into Model::interactions.
struct Beginnings {
  static constexpr uint32_t none = UINT32_MAX;
  static constexpr uint32_t other = UINT32_MAX - 1;  // something that is no interaction

  uint32_t acted = none;  // its first as the one who acts
  uint32_t tried = none;  // the first time that somebody found it pending
};

// Rule 4: binds that did nothing but wait begin when they read. `binds` says which kinds are such.
void simplify_binds(Model& model, const std::vector<Beginnings>& beginnings,
                    const std::vector<bool>& binds);

// Rule 5: where bars stop whose tasks have no end. What happened last to a task at
// `ends_known_from` or later would have been followed by its end, had it ended.
void end_open_tasks(Model& model, uint64_t ends_known_from);

// A task whose ancestors include itself becomes a child of the root.
void break_parent_cycles(Model& model);

}  // namespace skein
