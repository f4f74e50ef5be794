// Assigns the bars of tasks to rows, so that bars do not overlap, children are below their parents,
// and a successor is beside its predecessor.
//
//   const Rows rows = arrange(trace, model);
//   rows.row[task];                                    // its row, from the top
//   for (TaskIndex task : rows.tasks_in(row)) ...      // from left to right, without overlap
//
// If tasks ran on several executors, or the trace has what the kernel did with threads, the first
// rows are lanes: each shows what ran on one of them.
// Below are the tasks. They are placed in the order of their starts, pre-existing ones in the order
// of their ids; below lanes, tree by tree, because a tree's tasks may run on any executor. A task
// is in the first row at or below the parent's whose last bar has ended (strictly below while the
// parent is live). A tree over the rows' ends finds it in O(log rows), so the total is O(n log n).
// A successor keeps the row of its predecessor unless it ran before.
//
// Also holds the data that make drawing ten million events fast: the times of bars in drawing
// order, eight bytes each, and arrows in blocks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/model/model.h"
#include "trace/model/thread_intervals.h"

namespace skein {

// A task that `skein why` reports, and since when it waits in vain, ns.
struct StuckTask {
  TaskIndex task = no_index;
  uint64_t since = 0;
};

struct Rows {
  uint32_t count = 0;
  std::vector<uint32_t> row;     // by task; no_row if it is not drawn (filtered, collapsed)
  std::vector<uint32_t> begin;   // of row r: tasks[begin[r]] to tasks[begin[r + 1]]
  std::vector<TaskIndex> tasks;  // by row, then by start
  std::vector<uint32_t> activation_begin;  // of row r: activations[activation_begin[r]] ...
  std::vector<uint32_t> activations;       // indices into Model::activations
  // Row i shows what ran on lanes[i], an index into Trace::executors: it has activations, also of
  // tasks without a row, but no tasks.
  std::vector<uint32_t> lanes;
  ThreadIntervals threads;  // what the kernel did with each lane's thread; empty: not recorded
  std::vector<std::vector<uint64_t>> samples;  // by lane: when its stack was taken, ns, in order

  bool is_lane(uint32_t r) const { return r < lanes.size(); }

  static constexpr uint32_t no_row = UINT32_MAX;

  std::span<const TaskIndex> tasks_in(uint32_t r) const {
    return std::span(tasks).subspan(begin[r], begin[r + 1] - begin[r]);
  }

  // The interval of a bar in the picture, in ns: a predecessor ends where its successor begins, a
  // stuck task never ends. `position` is an index into `tasks`.
  struct Extent {
    uint64_t start = 0;
    uint64_t end = 0;
  };
  Extent bar(const Model& model, size_t position) const;

  // An Extent rounded outwards to units of 2^time_shift ns, so that it fits in 32 bits. An end of
  // UINT32_MAX means never (stuck).
  struct Times {
    uint32_t start = 0;
    uint32_t end = 0;
  };
  enum class BarStyle : uint8_t { Named, Unnamed };
  uint32_t time_shift = 0;
  uint64_t last = 0;  // ns; no bar ends later
  Times rounded(uint64_t start, uint64_t end) const;
  std::vector<Times> task_times;     // by position in `tasks`
  std::vector<BarStyle> bar_styles;  // by the same index
  std::vector<uint32_t>
      parent_rows;              // by the same index: where the creation line begins, or no_row
  std::vector<uint32_t> moves;  // positions in `tasks` of tasks whose successor is in another row
  std::vector<Times> activation_times;  // by position in `activations`

  // What is red: the ends of tasks that failed, and the waits of stuck ones. Of row r: from
  // red_begin[r] to before red_begin[r + 1], from left to right.
  std::vector<uint32_t> red_begin;
  std::vector<Times> red_times;
  std::vector<uint32_t> red_positions;  // in `tasks`
  std::vector<uint32_t> failed;         // positions in `tasks` of tasks that failed
  // Notifications that woke no task: those of the model, and the cancels of timers that skein why
  // reports as lost. By time; all tasks have a row.
  std::vector<Model::Unheard> unheard;
  // Replaces the stuck tasks, by index, and the lost cancels: at first there are none.
  // O(rows + unheard + red parts * log tasks).
  void set_findings(const Model& model, std::span<const StuckTask> stuck,
                    std::span<const Model::Unheard> cancels);

  // Summary of arrows_per_block interactions, from block * arrows_per_block on. If all of them fall
  // into one pixel, they are drawn from it.
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

  uint32_t position_of(const Model& model, TaskIndex task) const;  // in `tasks`; it must have a row

  // What the legend has to explain: links, by Model::Link, and unnamed bars.
  std::array<bool, 6> has_link{};
  bool has_unnamed = false;
  // The range of the axis of each of Model::scales: begins at the least value if that is far from
  // 0.
  std::vector<Model::Scale> scales;
};

// `shown` has one entry per task. A task with 0 gets no row, and its children are placed as its
// parent's. Empty: all are shown.
Rows arrange(const Trace& trace, const Model& model, std::span<const uint8_t> shown = {});

// Sets open[r] for every lane, and every row r that has a bar between two times (ns of the trace).
// O(rows log n).
void open_rows(const Rows& rows, const Model& model, double from, double to,
               std::span<uint8_t> open);

}  // namespace skein
