// Which row of the picture a task's bar is in, so that bars do not overlap, children lie below
// their parents, and what a task becomes goes on beside it.
//
//   const Rows rows = arrange(trace, model);
//   rows.row[task];                                    // its row, from the top
//   for (TaskIndex task : rows.tasks_in(row)) ...      // from left to right, without overlap
//
// Every executor has a band of rows of its own (where the task was created decides); with one
// executor there is one band, with several each begins with an empty row for its name. Within it,
// in the order of their starts: the first row at or below the parent's whose last bar has ended
// (strictly below while the parent lives); those that are older than the trace in that of their
// ids. A tree over the rows' ends finds it in O(log rows), so the whole is O(n log n). What a task
// becomes keeps its row, unless it had work of its own before.
//
// Beside that it holds what makes drawing ten million events fast: the times of bars in the order
// in which they are drawn, eight bytes each, and arrows by the block.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/model/model.h"

namespace skein {

struct Rows {
  struct Band {
    uint32_t executor = 0;  // index into Trace::executors
    uint32_t first_row = 0;
    uint32_t rows = 0;  // its name's included
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

  // Where a bar begins and ends in the picture, in ns: one that goes on as another ends where that
  // begins, one that is stuck never ends. `position` is an index into `tasks`.
  struct Extent {
    uint64_t start = 0;
    uint64_t end = 0;
  };
  Extent bar(const Model& model, size_t position) const;

  // The same rounded outwards to units of 2^time_shift ns, so that 32 bits hold them. An end of
  // UINT32_MAX: of no time (stuck).
  struct Times {
    uint32_t start = 0;
    uint32_t end = 0;
  };
  enum class BarStyle : uint8_t { Named, Unnamed, Red };
  uint32_t time_shift = 0;
  std::vector<Times> task_times;      // by position in `tasks`
  std::vector<BarStyle> bar_styles;   // the same
  std::vector<uint32_t> parent_rows;  // the same: where the line of its creation begins, or no_row
  std::vector<uint32_t> moves;        // positions in `tasks` of what becomes one in another row
  std::vector<Times> activation_times;  // by position in `activations`

  // What arrows_per_block interactions, from block * arrows_per_block on, have in common: when all
  // of them are in one pixel, they are drawn from this.
  static constexpr uint32_t arrows_per_block = 64;
  struct ArrowBlock {
    struct Kind {
      uint32_t first_row = no_row;
      uint32_t last_row = 0;
      uint32_t count = 0;
    };
    uint64_t earliest = UINT64_MAX;  // from_time
    std::array<Kind, 6> kinds;       // by Model::Link
  };
  std::vector<ArrowBlock> arrow_blocks;

  // What there is to be explained: by Model::Link, and bars that are red.
  std::array<bool, 6> has_link{};
  bool has_red = false;
  bool has_unnamed = false;
  // Of each of Model::scales what its axis shows: from the least value on if that is far from 0.
  std::vector<Model::Scale> scales;
};

// `shown` has one entry per task, 0: it gets no row, its children are placed as if they were its
// parent's; empty: all are shown.
Rows arrange(const Trace& trace, const Model& model, std::span<const uint8_t> shown = {});

// Sets open[r] of every row r that has a bar between two times (ns of the trace), and of the names
// of bands with such a row. O(rows log n).
void open_rows(const Rows& rows, const Model& model, double from, double to,
               std::span<uint8_t> open);

}  // namespace skein
