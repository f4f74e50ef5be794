// The background (sleeps, pauses, bands), and the marks of the selected task.
#include "base/text.h"
#include "trace/model/names.h"
#include "view/draw/coverage.h"
#include "view/draw/layers.h"
#include "view/draw/text.h"

namespace skein {

namespace {

void draw_kind(const Frame& frame, Painter& painter, size_t track, Ink ink,
               const std::vector<Model::ExecutorInterval>& intervals) {
  const Track& t = frame.tracks[track];
  const double column = frame.window.column;
  const auto columns = static_cast<size_t>(frame.window.width / frame.window.column) + 1;
  // One for each lane. An interval of an executor without a lane covers the whole track.
  const std::vector<uint32_t>& lanes = t.rows->lanes;
  std::vector<Coverage> covers(lanes.size() + 1, Coverage(columns));
  std::vector<uint32_t> lane_of(t.trace->executors.size(), UINT32_MAX);
  for (uint32_t lane = 0; lane < lanes.size(); lane++) lane_of[lanes[lane]] = lane;
  for (const Model::ExecutorInterval& interval : intervals) {
    const double x = frame.x(t, interval.start);
    if (x > frame.window.width) break;
    const uint32_t lane =
        interval.executor < lane_of.size() ? lane_of[interval.executor] : UINT32_MAX;
    // With several executors, the sleep of one that ran nothing is not shown.
    if (!lanes.empty() && lane == UINT32_MAX && ink == Ink::Sleep) continue;
    covers[lane == UINT32_MAX ? lanes.size() : lane].add(x / column,
                                                         frame.x(t, interval.end) / column);
  }
  const double origin = -frame.x(t, 0) / column;
  const auto paint = [&](const Coverage& cover, double top, double bottom) {
    top = std::max<double>(top, frame.areas.rows);
    bottom = std::min<double>(bottom, frame.areas.counters);
    if (bottom <= top) return;
    for (const auto [first, end] : cover.runs(origin))
      painter.fill(ink, static_cast<double>(first) * column, top,
                   static_cast<double>(end - first) * column, bottom - top);
  };
  const bool alone = frame.tracks.size() == 1;
  paint(covers.back(), alone ? frame.areas.rows : frame.y(track, 0),
        alone ? frame.areas.counters : frame.y(track, t.rows->count));
  for (uint32_t lane = 0; lane < lanes.size(); lane++)
    paint(covers[lane], frame.y(track, lane), frame.y(track, lane + double{1}));
}

}  // namespace

void draw_sleeps_and_pauses(const Frame& frame, Painter& painter) {
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    painter.allow(2'000);
    draw_kind(frame, painter, track, Ink::Sleep, frame.tracks[track].model->sleeps);
    painter.allow(1'000);
    draw_kind(frame, painter, track, Ink::Pause, frame.tracks[track].model->pauses);
    if (painter.size() > most_primitives / 8) return;  // a hundred traces at once
  }
}

void draw_bands(const Frame& frame, Painter& painter) {
  painter.allow(1'500);
  const double width = frame.window.width;
  const auto name = [&](double x, double y, const std::string& text, uint8_t size) {
    const double wide = text_width(text, size);
    painter.fill(Ink::Background, x + 2, y + 1, wide + 8, size + 3, 225);
    painter.text(Ink::Band, x + 6, y + size + 1, size, text);
  };
  const auto fitting = [&](std::string_view text, double size, double room) {
    return fit_text(safe_text(text, 100), static_cast<float>(size), static_cast<float>(room));
  };
  const double room = frame.row_height < 4 ? 12 : frame.row_height - 2;  // density has no texts
  const auto title_size = static_cast<uint8_t>(std::clamp(room, 9.0, 12.0));
  const double lowest = frame.areas.counters - title_size - 4;
  double title_y = -1e9;  // y of the last title
  double title_x = width;
  // Titles of traces are at the right, where long bars continue; most tasks begin at the left. A
  // trace thinner than a line of text has its title beside the one above; a trace that begins at
  // the lower edge has its title above its line. Titles give way only to labels.
  const auto title = [&](double y, std::string_view text) {
    if (y < frame.areas.rows - 1 || y > frame.areas.counters) return;
    painter.fill(Ink::Band, 0, y, width, 1, 120);
    if ((y > lowest && frame.has_labels) || lowest < frame.areas.rows) return;
    y = std::min(y, lowest);
    if (y < title_y + title_size + 5) {
      y = title_y;
    } else {
      title_x = width;
    }
    const std::string shown = fitting(text, title_size, title_x - 20);
    if (shown.empty()) return;
    title_x -= text_width(shown, title_size) + 16;
    title_y = y;
    name(title_x, y, shown, title_size);
  };
  double free_from = -1e9;
  for (size_t track = 0; track < frame.tracks.size() && !painter.full(); track++) {
    const Track& t = frame.tracks[track];
    if (frame.tracks.size() > 1) title(frame.y(track, -1), t.title);
    // Below the lanes is a line, and thin lanes have no names.
    const auto lanes = static_cast<uint32_t>(t.rows->lanes.size());
    for (uint32_t lane = 0; lane < lanes && !painter.full(); lane++) {
      const double y = frame.y(track, lane);
      if (y < frame.areas.rows - 1 || y + 11 > frame.areas.counters) continue;
      painter.fill(Ink::Band, 0, y, width, 1, 120);
      if (lane + 1 == lanes) painter.fill(Ink::Band, 0, frame.y(track, lanes), width, 1, 120);
      if (y < free_from) continue;
      const std::string text = executor_title(*t.trace, t.rows->lanes[lane]);
      if (frame.has_labels) {  // above the stretches, which it must not cover
        const double size = frame.label_size;
        const double baseline = frame.label_baseline(track, lane);
        const std::string shown = fitting(text, size, width - 12);
        painter.fill(Ink::Background, 2, y + 1, text_width(shown, frame.label_size) + 8,
                     baseline + 1.5 - y, 225);
        painter.text(Ink::Band, 6, baseline, frame.label_size, shown);
        continue;
      }
      name(0, y, fitting(text, 11, width - 12), 11);
      free_from = y + 16;
    }
  }
}

void draw_selection(const Frame& frame, Painter& painter) {
  const Marks& marks = frame.marks;
  if (marks.selected_track >= frame.tracks.size()) return;
  const Track& track = frame.tracks[marks.selected_track];
  const auto outline = [&](double x, double y, double width, double height) {
    painter.allow(10);
    if (y + height < frame.areas.rows || y > frame.areas.counters) return;
    painter.fill(Ink::Selection, x, y, width, 2);
    painter.fill(Ink::Selection, x, y + height - 2, width, 2);
    painter.fill(Ink::Selection, x, y, 2, height);
    painter.fill(Ink::Selection, x + width - 2, y, 2, height);
  };
  for (uint32_t lane = 0; lane < track.rows->lanes.size(); lane++)
    if (track.rows->lanes[lane] == marks.selected_lane)
      outline(0, frame.y(marks.selected_track, lane), frame.window.width,
              std::max(frame.row_height, 4.0));
  if (marks.selected >= track.rows->row.size()) return;
  const uint32_t row = track.rows->row[marks.selected];
  if (row == Rows::no_row || frame.folded(marks.selected_track, row)) return;
  const auto tasks = track.rows->tasks_in(row);
  const auto at = std::find(tasks.begin(), tasks.end(), marks.selected);
  const Rows::Extent bar = track.rows->bar(
      *track.model, track.rows->begin[row] + static_cast<size_t>(at - tasks.begin()));
  const double x = std::max(frame.x(track, bar.start), -10.0) - 2;
  const double end = std::min(frame.x(track, bar.end), frame.window.width + 10.0) + 2;
  const double y = frame.bar_y(marks.selected_track, row) - 2;
  const double height = std::max(frame.bar_height, 2.0) + 4;
  outline(x, y, end - x, height);
}

void draw_spans(const Frame& frame, Painter& painter) {
  if (frame.row_height < 4) return;
  painter.allow(1'500);
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    const Track& t = frame.tracks[track];
    std::vector<double> drawn_to(t.rows->count, -1e9);
    for (const Model::Span& span : t.model->spans) {
      const double x = frame.x(t, span.start);
      if (x > frame.window.width) break;
      const double end = std::max(frame.x(t, span.end), x + 1);
      if (end < 0 || span.task >= t.rows->row.size()) continue;
      const uint32_t row = t.rows->row[span.task];
      if (row == Rows::no_row || frame.folded(track, row) || end <= drawn_to[row] + 0.5) continue;
      const double y = frame.bar_y(track, row);
      if (y < frame.areas.rows - frame.row_height || y > frame.areas.counters) continue;
      const double high = std::max(2.0, frame.bar_height / 2);
      painter.fill(Ink::Span, std::max(x, drawn_to[row]), y + frame.bar_height - high,
                   end - std::max(x, drawn_to[row]), high, 255,
                   end - x >= 6 ? painter.title(safe_text(t.trace->strings[span.name], 100)) : 0);
      drawn_to[row] = end;
    }
  }
}

}  // namespace skein
