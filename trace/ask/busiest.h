// Who ran on an executor the longest between two times: who was in the way of what could not run.
//
//   Busiest busiest(model);
//   print(busiest.on(executor, since, until, task));
//
// Sorted by executor at the first question: O(activations), 4 bytes of each and 8 of each task. A
// question then costs the activations between its times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/ask/rows_by.h"
#include "trace/model/model.h"

namespace skein {

class Busiest {
 public:
  explicit Busiest(const Model& model) : model_(model) {}

  // Not counting `but`; no_index: nobody ran. Of several the one that had run so long first.
  TaskIndex on(uint32_t executor, uint64_t begin, uint64_t end, TaskIndex but = no_index);

  // The activations there that are at least in part between two times, by start: indices.
  std::span<const uint32_t> between(uint32_t executor, uint64_t begin, uint64_t end);

 private:
  const Model& model_;
  RowsBy by_executor_;
  std::vector<uint64_t> ran_;  // by task; zeros between the questions
};

}  // namespace skein
