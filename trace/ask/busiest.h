// Finds the task that ran longest on an executor in an interval, and thus delayed runnable tasks.
//
//   Busiest busiest(model);
//   print(busiest.on(executor, since, until, task));
//
// The first query sorts the activations by executor: O(activations), 4 bytes per activation and 8
// per task. Each query then takes time proportional to the activations in its interval.
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

  // Ignores the task `but`. no_index if no task ran. If several ran equally long, the first to do
  // so.
  TaskIndex on(uint32_t executor, uint64_t begin, uint64_t end, TaskIndex but = no_index);

  // Indices of the executor's activations that overlap the interval, by start.
  std::span<const uint32_t> between(uint32_t executor, uint64_t begin, uint64_t end);

 private:
  const Model& model_;
  RowsBy by_executor_;
  std::vector<uint64_t> ran_;  // by task; all zero between queries
};

}  // namespace skein
