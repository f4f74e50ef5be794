// Positions of tasks and times in the picture, shared by draw() and hit().
#pragma once

#include <algorithm>
#include <vector>

#include "view/draw/areas.h"
#include "view/draw/picture.h"

namespace skein {

struct Frame {
  // `window` must be valid_window() and must outlive the frame.
  Frame(std::span<const Track> tracks, const Window& window, const Marks& marks);

  std::span<const Track> tracks;
  const Window& window;
  const Marks& marks;
  Areas areas;
  double per_ns = 0;              // pixels
  double row_height = 1;          // pixels
  std::vector<double> first_row;  // by track: the index of its row 0 among all rows
  Lines lines;                    // marks.lines if it belongs to these tracks
  double top_line = 0;            // at the upper edge

  // Position of a bar in its row, in pixels from the row's top. Labels are above it, kinds below.
  double bar_top = 0;
  double bar_height = 1;
  bool has_labels = false;  // every row has room for them
  bool has_kinds = false;
  uint8_t label_size = 0;
  uint8_t kind_size = 0;

  double x(const Track& track, uint64_t time) const {
    return (static_cast<double>(time) + track.offset - window.from) * per_ns;
  }
  double time_at(double at) const { return window.from + at / per_ns; }
  bool folded(size_t track, uint32_t row) const {
    return is_folded(lines, static_cast<size_t>(first_row[track]) + row);
  }
  // The upper edge of a row. A whole pixel if rows are high, so that all bars have the same height.
  double y(size_t track, double row) const {
    const double exact =
        areas.rows + (line_of(lines, first_row[track] + row) - top_line) * row_height;
    return row_height < 4 ? exact
                          : static_cast<double>(static_cast<int64_t>(exact + 65536.5)) - 65536;
  }
  double bar_y(size_t track, uint32_t row) const { return y(track, row) + bar_top; }
  // Of the name above a bar.
  double label_baseline(size_t track, uint32_t row) const {
    return bar_y(track, row) - (row_height < 11 ? 1.5 : 2.5);
  }
  // Where lines to and from a bar begin. A folded row is between its neighbours.
  double middle_y(size_t track, uint32_t row) const {
    return folded(track, row) ? y(track, row) : bar_y(track, row) + bar_height / 2;
  }

  // The visible rows of a track: from `first` to before `last`; some may be folded.
  struct Range {
    uint32_t first = 0;
    uint32_t last = 0;
    bool empty() const { return first >= last; }
  };
  Range visible_rows(size_t track) const;

  bool marked(size_t track) const {
    return track < marks.tasks.size() && !marks.tasks[track].empty();
  }
  uint8_t mark(size_t track, TaskIndex task) const {
    if (track >= marks.tasks.size() || task >= marks.tasks[track].size()) return 0;
    return marks.tasks[track][task];
  }
  uint32_t collapsed(size_t track, TaskIndex task) const {
    if (track >= marks.collapsed.size() || task >= marks.collapsed[track].size()) return 0;
    return marks.collapsed[track][task];
  }
  bool counter_shown(size_t track, size_t counter) const {
    return track >= marks.counters.size() || counter >= marks.counters[track].size() ||
           marks.counters[track][counter] != 0;
  }
};

// The scale of a strip's axis: the visible values, extended to round numbers so that it does not
// change with every pixel of a pan. Covers the whole trace if all of it is visible or if the
// visible values do not change. O(visible points).
Model::Scale scale_in_sight(const Frame& frame, const CounterStrip& strip);

}  // namespace skein
