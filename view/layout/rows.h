// Which row of the picture a task's bar is in, so that bars do not overlap, children lie below
// their parents, and what a task becomes goes on beside it.
//
//   const Rows rows = arrange(trace, model);
//   rows.row[task];                                    // its row, from the top
//   for (TaskIndex task : rows.tasks_in(row)) ...      // from left to right, without overlap
//
// Every executor has a band of rows of its own (where the task was created decides); with one
// executor there is one band. Within it, in the order of their starts: the first row at or below
// the parent's whose last bar has ended (strictly below while the parent lives). A tree over the
// rows' ends finds it in O(log rows), so the whole is O(n log n). What a task becomes keeps its
// row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/model/model.h"

namespace skein {

struct Rows {
  struct Band {
    uint32_t executor = 0;  // index into Trace::executors
    uint32_t first_row = 0;
    uint32_t rows = 0;
  };

  uint32_t count = 0;
  std::vector<uint32_t> row;     // by task; no_row for what is not drawn (filtered, collapsed)
  std::vector<uint32_t> begin;   // of row r: tasks[begin[r]] to tasks[begin[r + 1]]
  std::vector<TaskIndex> tasks;  // by row, then by start
  std::vector<uint32_t> activation_begin;  // the same for the times in which they were current
  std::vector<uint32_t> activations;       // indices into Model::activations
  std::vector<Band> bands;                 // from the top

  static constexpr uint32_t no_row = UINT32_MAX;

  std::span<const TaskIndex> tasks_in(uint32_t r) const {
    return std::span(tasks).subspan(begin[r], begin[r + 1] - begin[r]);
  }
};

// `shown` has one entry per task, 0: it and nothing of it gets a row; empty: all are shown.
Rows arrange(const Trace& trace, const Model& model, std::span<const uint8_t> shown = {});

}  // namespace skein
