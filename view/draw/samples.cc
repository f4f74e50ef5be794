// Marks of a profiler's samples in the lanes: ticks above what ran on the thread.
#include <algorithm>

#include "view/draw/coverage.h"
#include "view/draw/layers.h"

namespace skein {

namespace {

void draw_samples_in(const Frame& frame, Painter& painter, size_t track, uint32_t lane) {
  const Track& t = frame.tracks[track];
  const std::vector<uint64_t>& times = t.rows->samples[lane];
  const double height = frame.row_height < 20 ? 2 : 4;
  const double y = frame.bar_y(track, lane) - height - 1;
  if (y < frame.areas.rows || y + height > frame.areas.counters) return;
  const auto from = static_cast<uint64_t>(std::max(0.0, frame.time_at(0) - t.offset));
  const double column = frame.window.column;
  Coverage cover(static_cast<size_t>(frame.window.width / column) + 1);
  for (auto at = std::lower_bound(times.begin(), times.end(), from); at != times.end(); ++at) {
    const double x = frame.x(t, *at) / column;
    if (x > frame.window.width / column) break;
    cover.add(x, x + 1 / column);
  }
  for (const auto [first, end] : cover.runs(-frame.x(t, 0) / column))
    painter.fill(Ink::Label, static_cast<double>(first) * column, y,
                 static_cast<double>(end - first) * column, height, 170);
}

}  // namespace

void draw_samples(const Frame& frame, Painter& painter) {
  if (frame.row_height < 9.5) return;  // no room above the bars
  painter.allow(8'000);
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    const Rows& rows = *frame.tracks[track].rows;
    const Frame::Range visible = frame.visible_rows(track);
    for (uint32_t row = visible.first; row < visible.last && row < rows.samples.size(); row++)
      if (!frame.folded(track, row)) draw_samples_in(frame, painter, track, row);
  }
}

}  // namespace skein
