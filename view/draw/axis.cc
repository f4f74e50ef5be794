#include <cstdlib>

#include "base/text.h"
#include "view/draw/floor_to.h"
#include "view/draw/layers.h"
#include "view/draw/text.h"

namespace skein {

namespace {

constexpr double axis_line = axis_height - 4;

struct Ticks {
  int64_t step = 1;   // ns
  int64_t first = 0;  // the first in the window
  int64_t last = -1;
  // 0: ticks show the absolute time; otherwise their distance from this time, which has fewer
  // digits.
  int64_t base = 0;
  int64_t largest = 0;  // the largest time shown: its unit is used for all
};

int64_t bounded(double time) {
  constexpr double limit = 4e18;
  return static_cast<int64_t>(std::clamp(time, -limit, limit));
}

Ticks find_ticks(const Frame& frame) {
  constexpr double between = 110;  // pixels
  Ticks ticks;
  const double least = between / frame.per_ns;
  for (int i = 0; static_cast<double>(ticks.step) < least && ticks.step < int64_t{1} << 58; i++)
    ticks.step = i % 3 == 1 ? ticks.step / 2 * 5 : ticks.step * 2;  // 1, 2, 5, 10
  ticks.first = floor_to(bounded(frame.window.from), ticks.step);
  if (static_cast<double>(ticks.first) < frame.window.from) ticks.first += ticks.step;
  ticks.last = bounded(frame.window.to);
  if (bounded(frame.window.from) / ticks.step >= 10'000) {
    int64_t coarse = 1;
    while (coarse < ticks.step * 20) coarse *= 10;
    ticks.base = floor_to(bounded(frame.window.from), coarse);
  }
  ticks.largest = std::max(floor_to(ticks.last, ticks.step) - ticks.base, ticks.base - ticks.first);
  return ticks;
}

// Formats a time with the precision of `step` and the unit of `largest`, for adjacent ticks: "0.5
// s" before "1.0 s", where time_text() returns "500 ms".
std::string tick_text(int64_t time, int64_t step, int64_t largest) {
  struct Unit {
    int64_t ns;
    std::string_view name;
  };
  constexpr Unit units[] = {{1'000'000'000, " s"}, {1'000'000, " ms"}, {1'000, " us"}, {1, " ns"}};
  const Unit* unit = units;
  while (unit->ns > std::max(std::abs(largest), step)) unit++;
  const int64_t size = std::abs(time);
  std::string text = (time < 0 ? "-" : "") + std::to_string(size / unit->ns);
  int64_t digit = unit->ns;
  if (step % digit != 0) text += '.';
  while (step % digit != 0) {
    digit /= 10;
    text += static_cast<char>('0' + size / digit % 10);
  }
  return text.append(unit->name);
}

double x_of(const Frame& frame, int64_t time) {
  return (static_cast<double>(time) - frame.window.from) * frame.per_ns;
}

template <typename Use>
void each_tick(const Frame& frame, const Ticks& ticks, const Use& use) {
  int drawn = 0;  // at most 1 in 44 pixels; guards against times that doubles cannot distinguish
  for (int64_t time = ticks.first; time <= ticks.last && drawn < 1000; time += ticks.step, drawn++)
    use(time, x_of(frame, time));
}

// Whether the traces are of one instant, such as the memory of a process: then the length of a bar
// means nothing.
bool is_instant(const Frame& frame) {
  return !frame.tracks.empty() &&
         std::all_of(frame.tracks.begin(), frame.tracks.end(), [](const Track& track) {
           return track.model->end == 0 && !track.model->tasks.empty();
         });
}

}  // namespace

void draw_grid(const Frame& frame, Painter& painter) {
  if (is_instant(frame)) return;
  painter.allow(1'000);
  each_tick(frame, find_ticks(frame), [&](int64_t, double x) {
    painter.fill(Ink::Grid, x, frame.areas.rows, 1, frame.areas.legend - frame.areas.rows);
  });
}

void draw_axis(const Frame& frame, Painter& painter) {
  painter.allow(1'000);
  const double width = frame.window.width;
  painter.fill(Ink::Background, 0, 0, width, frame.areas.rows);
  painter.fill(Ink::Axis, 0, axis_line, width, 1);
  const Ticks ticks = find_ticks(frame);
  const bool instant = is_instant(frame);
  double free_from = 0;
  if (!instant) each_tick(frame, ticks, [&](int64_t time, double x) {
    painter.fill(Ink::Axis, x, axis_line - 5, 1, 5);
    std::string text = tick_text(time - ticks.base, ticks.step, ticks.largest);
    if (ticks.base != 0) text.insert(0, "+");
    if (time == 0) text = "0";
    const double wide = text_width(text, 11);
    const double left = std::clamp(x - wide / 2, 2.0, std::max(2.0, width - wide - 2));
    if (left < free_from) return;
    painter.text(Ink::Axis, left, axis_line - 8, 11, text);
    free_from = left + wide + 8;
  });

  // The line above: the base of the ticks, and the length of the window, in the ticks' units with
  // three digits.
  const int64_t in_sight = bounded(frame.window.to - frame.window.from);
  int64_t digit = 1;
  while (in_sight / digit >= 1000) digit *= 10;
  std::string span;
  if (!instant) span = time_text((in_sight + digit / 2) / digit * digit, digit) + " visible";
  const double span_x = width - text_width(span, 11) - 6;
  painter.text(Ink::Axis, span_x, 12, 11, span);
  std::string origin = instant ? "one instant" : "time since the start of the trace";
  if (ticks.base != 0 && !instant)
    origin = "relative to " + time_text(ticks.base, ticks.step) + " after the start";
  if (!frame.tracks.empty() && frame.tracks[0].trace->info.utc_offset) {
    const TraceInfo& info = frame.tracks[0].trace->info;
    const double since = frame.window.from - frame.tracks[0].offset;
    const auto utc = static_cast<int64_t>(static_cast<uint64_t>(*info.utc_offset) + info.start +
                                          static_cast<uint64_t>(bounded(since)));
    origin += instant ? ": " : "; left edge: ";
    origin += utc_text(utc, instant ? 1'000'000 : ticks.step);
  }
  origin = fit_text(origin, 11, static_cast<float>(span_x - 20));
  painter.text(Ink::Axis, 6, 12, 11, origin);
}

namespace {

// Wraps lines at spaces to this width.
std::vector<std::string_view> wrapped(std::span<const std::string_view> lines, uint8_t size,
                                      double width) {
  std::vector<std::string_view> narrow;
  for (std::string_view line : lines) {
    while (text_width(line, size) > width) {
      size_t end = line.size();
      do end = line.rfind(' ', end - 1);
      while (end != line.npos && end > 0 && text_width(line.substr(0, end), size) > width);
      if (end == line.npos || end == 0) break;
      narrow.push_back(line.substr(0, end));
      line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
    }
    narrow.push_back(line);
  }
  return narrow;
}

}  // namespace

void draw_panel(Painter& painter, double x, double middle,
                std::span<const std::string_view> texts) {
  constexpr uint8_t size = 12;
  constexpr double high = 18;
  const std::vector<std::string_view> lines = wrapped(texts, size, 2 * x - 40);
  double width = 0;
  for (const std::string_view line : lines) width = std::max<double>(width, text_width(line, size));
  const double left = x - width / 2 - 12;
  const double height = high * static_cast<double>(lines.size()) + 12;
  double y = middle - height / 2;
  painter.fill(Ink::Band, left - 1, y - 1, width + 26, height + 2, 140);
  painter.fill(Ink::Panel, left, y, width + 24, height);
  for (const std::string_view line : lines) {
    y += high;
    painter.text(Ink::PanelText, left + 12, y, size, line);
  }
}

void draw_marks(const Frame& frame, Painter& painter) {
  painter.allow(2'000);
  const Marks& marks = frame.marks;
  const double top = frame.areas.rows;
  const double bottom = frame.areas.legend;
  const double width = frame.window.width;
  const auto x_at = [&](double time) { return (time - frame.window.from) * frame.per_ns; };

  const double lines = line_of(frame.lines, total_rows(frame.tracks));
  const double in_sight = (frame.areas.counters - top) / frame.row_height;
  if (marks.scroll_bar && lines > in_sight + 0.5) {
    const double room = frame.areas.counters - top;
    const double high = std::max(room * in_sight / lines, 8.0);
    const double share = std::clamp(frame.top_line / (lines - in_sight), 0.0, 1.0);
    painter.fill(Ink::Band, width - 6, top, 6, room, 50);
    painter.fill(Ink::Band, width - 5, top + (room - high) * share, 4, high, 170);
  }

  double free_from = 0;
  for (const Marks::Bookmark& bookmark : marks.bookmarks) {
    const double x = x_at(bookmark.time);
    if (!(x >= 0 && x <= width)) continue;
    painter.fill(Ink::Bookmark, x - 0.5, top, 1.5, bottom - top, 200);
    const std::string text = fit_text(safe_text(bookmark.text, 80), 11, 160);
    if (text.empty() || x < free_from) continue;
    const double wide = text_width(text, 11);
    painter.fill(Ink::Panel, x + 1, top + 1, wide + 8, 15);
    painter.text(Ink::Bookmark, x + 5, top + 12, 11, text);
    free_from = x + wide + 12;
  }
}

void draw_measure(const Frame& frame, Painter& painter) {
  const Marks& marks = frame.marks;
  if (marks.measure_from == marks.measure_to) return;
  painter.allow(100);
  const double top = frame.areas.rows;
  const double bottom = frame.areas.legend;
  const double width = frame.window.width;
  const double from = std::min(marks.measure_from, marks.measure_to);
  const double to = std::max(marks.measure_from, marks.measure_to);
  const double x = (from - frame.window.from) * frame.per_ns;
  const double end = (to - frame.window.from) * frame.per_ns;
  painter.fill(Ink::Measure, x, top, end - x, bottom - top, 40);
  painter.fill(Ink::Measure, x, top, 1, bottom - top);
  painter.fill(Ink::Measure, end, top, 1, bottom - top);
  const std::string text = duration_text(to - from);
  const double wide = text_width(text, 12);
  const double middle = (std::max(x, 0.0) + std::min(end, width)) / 2;
  if (middle < 0 || middle > width) return;
  const double left = std::clamp(middle - wide / 2, 6.0, std::max(6.0, width - wide - 6));
  painter.fill(Ink::Panel, left - 5, top + 18, wide + 10, 18);
  painter.text(Ink::Measure, left, top + 31, 12, text);
}

void draw_pointer(const Frame& frame, Painter& painter) {
  const Marks& marks = frame.marks;
  const double width = frame.window.width;
  if (!(marks.pointer_x >= 0 && marks.pointer_x <= width)) return;
  painter.allow(100);
  const double top = frame.areas.rows;
  painter.fill(Ink::Axis, marks.pointer_x, top, 1, frame.areas.legend - top, 110);
  // Precise to one pixel.
  int64_t step = 1;
  while (static_cast<double>(step) * 10 < 1 / frame.per_ns) step *= 10;
  const Ticks ticks = find_ticks(frame);
  const int64_t time = bounded(frame.time_at(marks.pointer_x));
  const std::string text = tick_text(time, step, ticks.base == 0 ? ticks.largest : time);
  const double wide = text_width(text, 11);
  const double left = std::clamp(marks.pointer_x - wide / 2, 4.0, std::max(4.0, width - wide - 4));
  // Covers the adjacent ticks, which show less; must not cover the line above, whose content is
  // shown nowhere else.
  painter.fill(Ink::Axis, left - 4, axis_line - 19, wide + 8, 15);
  painter.text(Ink::Background, left, axis_line - 8, 11, text);
}

}  // namespace skein
