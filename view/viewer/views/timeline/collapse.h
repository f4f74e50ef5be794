// The tasks that have a row in a timeline: those that pass the filter and have no collapsed
// ancestor.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/model.h"

namespace skein {

// One entry per task each. Both empty: all have a row, none is collapsed.
struct Shown {
  std::vector<uint8_t> tasks = {};    // has a row
  std::vector<uint32_t> hidden = {};  // number of descendants hidden because it is collapsed
};
// `passes` and `collapsed` have one entry per task, or are empty: all pass, none is collapsed.
Shown shown(const Model& model, const std::vector<uint8_t>& passes,
            const std::vector<uint8_t>& collapsed);

// Expands each ancestor of the task. Returns false if none was collapsed.
bool expand_above(const Model& model, std::vector<uint8_t>& collapsed, TaskIndex task);

}  // namespace skein
