// The kernel's line in the lanes: below what ran on a thread, whether the thread had a CPU.
#include "base/text.h"
#include "view/draw/coverage.h"
#include "view/draw/layers.h"
#include "view/draw/text.h"

namespace skein {

namespace {

bool waits_for_cpu(const ThreadInterval& one) {
  return one.state == ThreadState::Preempted || one.state == ThreadState::Runnable;
}

// "preempted by cc1plus for 4.1 ms"
std::string state_text(const Trace& trace, const ThreadInterval& one) {
  std::string text = one.state == ThreadState::Runnable ? "waits for a CPU" : "preempted";
  if (one.state == ThreadState::Preempted && one.name != 0)
    text += " by " + safe_text(trace.strings[one.name], 60);
  return text + " for " + duration_text(one.end - one.begin);
}

void draw_lane(const Frame& frame, Painter& painter, size_t track, uint32_t lane) {
  const Track& t = frame.tracks[track];
  const auto from = static_cast<uint64_t>(std::max(0.0, frame.time_at(0) - t.offset));
  const double last = frame.time_at(frame.window.width) - t.offset;
  if (last <= 0) return;
  const auto intervals =
      t.rows->threads.of(t.rows->lanes[lane], from, static_cast<uint64_t>(last) + 1);
  if (intervals.empty()) return;
  const double column = frame.window.column;
  const auto columns = static_cast<size_t>(frame.window.width / frame.window.column) + 1;
  Coverage runs(columns), waits(columns);
  for (const ThreadInterval& one : intervals) {
    const double x = frame.x(t, one.begin) / column, end = frame.x(t, one.end) / column;
    if (one.state == ThreadState::Running) runs.add(x, end);
    if (waits_for_cpu(one)) waits.add(x, end);
  }
  const double height = frame.row_height < 20 ? 2 : 3;
  const double y = frame.bar_y(track, lane) + frame.bar_height + 2;
  if (y < frame.areas.rows || y + height > frame.areas.counters) return;
  const double origin = -frame.x(t, 0) / column;
  const auto paint = [&](const Coverage& cover, Ink ink) {
    for (const auto [first, end] : cover.runs(origin))
      painter.fill(ink, static_cast<double>(first) * column, y,
                   static_cast<double>(end - first) * column, height);
  };
  paint(runs, Ink::Resolve);
  paint(waits, Ink::Notify);
  // What can be pointed at.
  constexpr double widest_crowd = 3;
  for (const ThreadInterval& one : intervals) {
    const double x = std::max(0.0, frame.x(t, one.begin));
    const double end = std::min<double>(frame.window.width, frame.x(t, one.end));
    if (!waits_for_cpu(one) || end - x < widest_crowd || painter.full()) continue;
    painter.fill(Ink::Notify, x, y, end - x, height, 255, painter.title(state_text(*t.trace, one)));
  }
}

}  // namespace

void draw_thread_states(const Frame& frame, Painter& painter) {
  if (frame.row_height < 9.5) return;  // no room below the bars
  painter.allow(8'000);
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    const Rows& rows = *frame.tracks[track].rows;
    const Frame::Range visible = frame.visible_rows(track);
    for (uint32_t row = visible.first; row < visible.last && rows.is_lane(row); row++)
      if (!frame.folded(track, row)) draw_lane(frame, painter, track, row);
  }
}

}  // namespace skein
