// Which tasks have a row in a timeline: those that pass the filter and have no collapsed ancestor.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/model.h"

namespace skein {

// One entry per task each; both empty: all have a row, none is collapsed.
struct Shown {
  std::vector<uint8_t> tasks = {};    // has a row
  std::vector<uint32_t> hidden = {};  // how many below it have none, because it is collapsed
};
// `passes` and `collapsed`: one entry per task, or empty: all pass, none is collapsed.
Shown shown(const Model& model, const std::vector<uint8_t>& passes,
            const std::vector<uint8_t>& collapsed);

// Opens each ancestor of the task. False: none was collapsed.
bool expand_above(const Model& model, std::vector<uint8_t>& collapsed, TaskIndex task);

}  // namespace skein
