// The kernel's line in the lanes: below what ran on a thread, whether the thread had a CPU.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "trace/ask/frame_name.h"
#include "view/draw/coverage.h"
#include "view/draw/flame.h"
#include "view/draw/hit.h"
#include "view/draw/layers.h"
#include "view/draw/text.h"

namespace skein {

namespace {

bool waits_for_cpu(const ThreadInterval& one) {
  return one.state == ThreadState::Preempted || one.state == ThreadState::Runnable;
}

// The kernel's function in which a thread is blocked; empty: not known.
std::string blocked_in(const Trace& trace, const ThreadInterval& one) {
  if (one.function != 0) return safe_text(trace.strings[one.function], 60);
  if (one.stack == ThreadInterval::no_stack) return {};
  const std::span<const StackFrame> frames = trace.stacks.frames(one.stack);
  if (frames.empty()) return {};
  return safe_text(shown_frame_name(frame_name(trace, frames.front())), 60);
}

// "preempted by cc1plus for 4.1 ms"
std::string state_text(const Trace& trace, const ThreadInterval& one) {
  std::string text;
  switch (one.state) {
    case ThreadState::Running:
      text = one.cpu == 0 ? "on a CPU" : "on CPU " + std::to_string(one.cpu - 1);
      break;
    case ThreadState::Preempted:
      text = "preempted";
      if (one.name != 0) text += " by " + safe_text(trace.strings[one.name], 60);
      break;
    case ThreadState::Blocked:
      text = "blocked";
      if (const std::string function = blocked_in(trace, one); !function.empty())
        text += " in " + function;
      break;
    default:
      text = "waits for a CPU";
  }
  return text + " for " + duration_text(one.end - one.begin);
}

// The kernel's line of a lane.
struct KernelLine {
  double y;
  double height;
};
KernelLine kernel_line_of(const Frame& frame, size_t track, uint32_t lane) {
  return {frame.bar_y(track, lane) + frame.bar_height + 2, frame.row_height < 20 ? 2.0 : 3.0};
}

constexpr double least_row_height = 9.5;  // in lower rows there is no room below the bars

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
  const auto [y, height] = kernel_line_of(frame, track, lane);
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

// At a point of a lane's line.
std::string text_at(const Frame& frame, size_t track, uint32_t lane, double x) {
  const Track& t = frame.tracks[track];
  const auto time_at = [&](double at) { return frame.time_at(at) - t.offset; };
  const double first = time_at(std::floor(x)), last = time_at(std::floor(x) + 1);
  if (last <= 0) return {};
  const auto begin = static_cast<uint64_t>(std::max(0.0, first));
  const ThreadInterval* found = nullptr;
  for (const ThreadInterval& one :
       t.rows->threads.of(t.rows->lanes[lane], begin, static_cast<uint64_t>(last) + 1)) {
    const auto rank = [&](const ThreadInterval& of) {
      const auto from = static_cast<double>(of.begin), to = static_cast<double>(of.end);
      const double shown = std::min(to, last) - std::max(from, first);
      return std::pair(waits_for_cpu(of), shown);
    };
    if (found == nullptr || rank(*found) < rank(one)) found = &one;
  }
  return found == nullptr ? std::string() : state_text(*t.trace, *found);
}

}  // namespace

std::string thread_state_at(std::span<const Track> tracks, const Window& window, const Marks& marks,
                            float x, float y) {
  const Window checked = valid_window(window);
  const Frame frame(tracks, checked, marks);
  if (!(x >= 0 && x <= checked.width) || frame.row_height < least_row_height) return {};
  if (!(y >= frame.areas.rows && y <= frame.areas.counters)) return {};
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    const Rows& rows = *frame.tracks[track].rows;
    const Frame::Range visible = frame.visible_rows(track);
    for (uint32_t row = visible.first; row < visible.last && rows.is_lane(row); row++) {
      if (frame.folded(track, row)) continue;
      const KernelLine line = kernel_line_of(frame, track, row);
      // A pixel more on both sides: it is thin.
      if (y > line.y - 1 && y < line.y + line.height + 1)
        return text_at(frame, track, row, static_cast<double>(x));
    }
  }
  return {};
}

void draw_thread_states(const Frame& frame, Painter& painter) {
  if (frame.row_height < least_row_height) return;
  painter.allow(8'000);
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    const Rows& rows = *frame.tracks[track].rows;
    const Frame::Range visible = frame.visible_rows(track);
    for (uint32_t row = visible.first; row < visible.last && rows.is_lane(row); row++)
      if (!frame.folded(track, row)) draw_lane(frame, painter, track, row);
  }
}

}  // namespace skein
