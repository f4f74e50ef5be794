// Marks of a profiler's samples in the lanes: ticks above what ran on the thread.
#include <algorithm>
#include <utility>

#include "view/draw/coverage.h"
#include "view/draw/layers.h"

namespace skein {

namespace {

struct SampleLane {
  size_t track = 0;
  double y = 0;
  double height = 0;
  Ink ink = Ink::Label;
  uint8_t alpha = 255;
};

// Calls `time(i)` for each from `first` on, in order, until they are beyond the window.
template <typename Time>
void draw_ticks(const Frame& frame, Painter& painter, const SampleLane& lane, size_t first,
                size_t count, const Time& time) {
  const Track& t = frame.tracks[lane.track];
  const double column = frame.window.column;
  Coverage cover(static_cast<size_t>(frame.window.width / column) + 1);
  for (size_t i = first; i < count; i++) {
    const double x = frame.x(t, time(i)) / column;
    if (x > frame.window.width / column) break;
    cover.add(x, x + 1 / column);
  }
  for (const auto [from, end] : cover.runs(-frame.x(t, 0) / column))
    painter.fill(lane.ink, static_cast<double>(from) * column, lane.y,
                 static_cast<double>(end - from) * column, lane.height, lane.alpha);
}

void draw_samples_in(const Frame& frame, Painter& painter, size_t track, uint32_t lane) {
  const Track& t = frame.tracks[track];
  const std::vector<uint64_t>& times = t.rows->samples[lane];
  const double height = frame.row_height < 20 ? 2 : 4;
  const double y = frame.bar_y(track, lane) - height - 1;
  if (y < frame.areas.rows || y + height > frame.areas.counters) return;
  const auto from = static_cast<uint64_t>(std::max(0.0, frame.time_at(0) - t.offset));
  const auto first = std::lower_bound(times.begin(), times.end(), from) - times.begin();
  draw_ticks(frame, painter,
             {.track = track, .y = y, .height = height, .ink = Ink::Label, .alpha = 170},
             static_cast<size_t>(first), times.size(), [&](size_t i) { return times[i]; });

  // Those of the frame that is chosen in the flame graph, over the others.
  if (track >= frame.marks.samples.size()) return;
  const std::vector<SampleAt>& marked = frame.marks.samples[track];
  const auto key = [](const SampleAt& at) { return std::pair(at.executor, at.time); };
  const auto begin =
      std::lower_bound(marked.begin(), marked.end(), std::pair(t.rows->lanes[lane], from),
                       [&](const SampleAt& at, const auto& to) { return key(at) < to; });
  const auto end = std::upper_bound(
      begin, marked.end(), t.rows->lanes[lane],
      [](uint32_t executor, const SampleAt& at) { return executor < at.executor; });
  draw_ticks(frame, painter,
             {.track = track, .y = y - 1, .height = height + 2, .ink = Ink::Highlight},
             static_cast<size_t>(begin - marked.begin()), static_cast<size_t>(end - marked.begin()),
             [&](size_t i) { return marked[i].time; });
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
