// The legend and the hints.
#include <array>

#include "view/draw/arrows.h"
#include "view/draw/layers.h"
#include "view/draw/text.h"

namespace skein {

namespace {

enum class Sample : uint8_t {
  Bar,
  Running,
  Box,
  Line,
  Arrow,
  Ring,
  Around,
  Density,
  Thread,
  Tick,
  PathRuns,
  PathReady,
  PathBlocked,
  PathOutside
};
struct Entry {
  Sample sample;
  Ink ink;
  std::string_view text;
};

constexpr double sample_width = 26;
constexpr double line_height = 18;
constexpr uint8_t text_size = 11;

// Entries that come and go. The legend reserves room for them so that rows do not move.
struct TransientEntries {
  bool found = true;
  bool selected = true;
  bool density = true;
  bool path = false;  // replaces the entries of lines and arrows, which fade then
};

std::vector<Entry> entries(std::span<const Track> tracks, const TransientEntries& transient) {
  std::vector<Entry> all;
  // Lists only what occurs in the traces.
  const auto add = [&](Sample sample, Ink ink, std::string_view text, auto&& occurs_in) {
    if (std::any_of(tracks.begin(), tracks.end(), occurs_in)) all.push_back({sample, ink, text});
  };
  const auto add_link = [&](Model::Link link, std::string_view text) {
    add(Sample::Arrow, ink_of(link), text,
        [&](const Track& track) { return track.rows->has_link[static_cast<size_t>(link)]; });
  };
  const auto has_task = [](const Track& track) { return !track.rows->tasks.empty(); };
  const bool is_sampled =
      !tracks.empty() && std::all_of(tracks.begin(), tracks.end(), [](const Track& track) {
        return track.trace->info.is_sampled();
      });
  add(Sample::Bar, Ink::Bar, is_sampled ? "task, not seen running" : "task, waiting", has_task);
  add(Sample::Bar, Ink::BarUnnamed, "unnamed task",
      [](const Track& track) { return track.rows->has_unnamed; });
  add(Sample::Running, Ink::Running, "running",
      [](const Track& track) { return !track.rows->activations.empty(); });
  add(Sample::Bar, Ink::Failed, "failed or stuck",
      [](const Track& track) { return !track.rows->red_times.empty(); });
  if (transient.path) {
    all.push_back({Sample::PathRuns, Ink::Path, "critical path: running"});
    all.push_back({Sample::PathReady, Ink::Path, "runnable"});
    all.push_back({Sample::PathBlocked, Ink::Path, "waiting"});
    all.push_back({Sample::PathOutside, Ink::Path, "external"});
    if (transient.selected) add(Sample::Around, Ink::Selection, "selected", has_task);
    return all;
  }
  add(Sample::Tick, Ink::Label, "sample", [](const Track& track) {
    return std::any_of(track.rows->samples.begin(), track.rows->samples.end(),
                       [](const auto& times) { return !times.empty(); });
  });
  add(Sample::Line, Ink::Creation, is_sampled ? "first seen awaited" : "creation, merge",
      [](const Track& track) { return track.rows->tasks.size() > 1; });
  add_link(Model::Link::Read, is_sampled ? "last seen awaited" : "result read");
  add_link(Model::Link::ReadFailure, "failure read");
  add_link(Model::Link::Resolve, "ended by another");
  add_link(Model::Link::Notify, "wake-up");
  add(Sample::Ring, Ink::Unheard, "woke no task",
      [](const Track& track) { return !track.rows->unheard.empty(); });
  add_link(Model::Link::Await, "wait");
  add_link(Model::Link::Message, "message");
  add(Sample::Bar, Ink::Span, "span",
      [](const Track& track) { return !track.model->spans.empty(); });
  const auto has_lanes = [](const Track& track) { return !track.rows->lanes.empty(); };
  add(Sample::Box, Ink::Sleep,
      is_sampled                                             ? "no sample of the thread"
      : std::any_of(tracks.begin(), tracks.end(), has_lanes) ? "thread asleep"
                                                             : "all threads asleep",
      [](const Track& track) { return !track.model->sleeps.empty(); });
  const auto has_states = [](const Track& track) {
    return !track.rows->threads.empty() && !track.rows->lanes.empty();
  };
  add(Sample::Thread, Ink::Resolve, "thread on a CPU", has_states);
  add(Sample::Thread, Ink::Notify, "waits for a CPU", has_states);
  add(Sample::Box, Ink::Pause, "paused (GC ...)",
      [](const Track& track) { return !track.model->pauses.empty(); });
  if (transient.density) add(Sample::Density, Ink::Bar, "few to many tasks", has_task);
  if (transient.found) add(Sample::Around, Ink::Highlight, "match or related", has_task);
  if (transient.selected) add(Sample::Around, Ink::Selection, "selected", has_task);
  return all;
}

double width_of(const Entry& entry) {
  return sample_width + 6 + text_width(entry.text, text_size) + 18;
}

// Calls use(entry, x, line) for each entry. Returns the number of lines, which depends on the
// width.
template <typename Use>
size_t lay_out(const std::vector<Entry>& entries, double width, const Use& use) {
  double x = 8;
  size_t line = 0;
  for (const Entry& entry : entries) {
    if (x > 8 && x + width_of(entry) > width) {
      x = 8;
      line++;
    }
    use(entry, x, line);
    x += width_of(entry);
  }
  return line + 1;
}

void draw_sample(Painter& painter, const Entry& entry, double x, double y) {
  switch (entry.sample) {
    case Sample::Bar:
      painter.fill(entry.ink, x, y - 3, sample_width, 6);
      break;
    case Sample::Running:
      painter.fill(Ink::Bar, x, y - 3, sample_width, 6);
      painter.fill(Ink::Bar, x + 5, y - 4, sample_width - 10, 8);
      painter.fill(entry.ink, x + 6, y - 3, sample_width - 12, 6);
      break;
    case Sample::Box:
      painter.fill(Ink::Band, x, y - 7, sample_width, 14, 90);
      painter.fill(entry.ink, x + 1, y - 6, sample_width - 2, 12);
      break;
    case Sample::Line:
      painter.fill(Ink::Bar, x, y - 6, sample_width / 2, 2);
      painter.fill(entry.ink, x + sample_width / 2, y - 6, 1, 12);
      painter.fill(Ink::Bar, x + sample_width / 2, y + 4, sample_width / 2, 2);
      break;
    case Sample::Arrow:
      painter.arrow(entry.ink, x, y, x + sample_width, y);
      break;
    case Sample::Ring:
      draw_ring(painter, x + sample_width / 2, y);
      break;
    case Sample::Around:
      painter.fill(entry.ink, x, y - 6, sample_width, 12);
      painter.fill(Ink::Bar, x + 2, y - 3, sample_width - 4, 6);
      break;
    case Sample::Thread:
      painter.fill(entry.ink, x, y - 1, sample_width, 3);
      break;
    case Sample::Tick:
      for (int i = 0; i < 5; i++) painter.fill(entry.ink, x + 2 + 5.0 * i, y - 2, 1, 4, 170);
      break;
    case Sample::Density:
      for (int i = 1; i <= 4; i++)
        painter.fill(entry.ink, x + (i - 1) * sample_width / 4, y - 6, sample_width / 4, 12,
                     static_cast<uint8_t>(i * 63));
      break;
    case Sample::PathRuns:
      painter.fill(entry.ink, x, y - 4, sample_width, 8);
      break;
    case Sample::PathReady:
      painter.fill(entry.ink, x, y - 4, sample_width, 8);
      painter.fill(Ink::Bar, x + 1, y - 2, sample_width - 2, 4);
      break;
    case Sample::PathBlocked:
      painter.fill(Ink::Bar, x, y - 4, sample_width, 8);
      painter.fill(entry.ink, x, y - 1, sample_width, 2);
      break;
    case Sample::PathOutside:
      painter.fill(Ink::Bar, x, y - 4, sample_width, 8);
      for (double at = 0; at < sample_width; at += 10) painter.fill(entry.ink, x + at, y - 1, 6, 2);
      break;
  }
}

}  // namespace

float legend_height(std::span<const Track> tracks, const Window& window) {
  const std::vector<Entry> all = entries(tracks, {});
  if (all.empty()) return 0;
  const size_t lines = lay_out(all, window.width, [](const Entry&, double, size_t) {});
  const auto height = static_cast<float>(static_cast<double>(lines) * line_height + 4);
  return height > window.height / 3 ? 0 : height;  // a tiny window is left to the picture
}

void draw_legend(const Frame& frame, Painter& painter) {
  if (!frame.marks.legend || frame.areas.legend >= frame.window.height) return;
  painter.allow(200);
  const double top = frame.areas.legend;
  painter.fill(Ink::Panel, 0, top, frame.window.width, frame.window.height - top);
  painter.fill(Ink::Band, 0, top, frame.window.width, 1, 110);
  const Marks& marks = frame.marks;
  TransientEntries now = {.found = false,
                          .selected = marks.selected != no_index,
                          .density = frame.row_height < 2,
                          .path = !marks.path.empty()};
  for (const auto& tasks : marks.tasks)
    now.found = now.found || std::find(tasks.begin(), tasks.end(), 1) != tasks.end();
  lay_out(entries(frame.tracks, now), frame.window.width,
          [&](const Entry& entry, double x, size_t line) {
            const double y = top + 2 + line_height * (static_cast<double>(line) + 0.5);
            if (y > frame.window.height) return;
            draw_sample(painter, entry, x, y);
            painter.text(Ink::PanelText, x + sample_width + 6, y + 4, text_size, entry.text);
          });
}

void draw_hint(const Frame& frame, Painter& painter) {
  if (!frame.marks.hint) return;
  static constexpr std::string_view lines[] = {
      "Time runs to the right. Each bar is a task: white while it runs, dark while it waits.",
      "Arrows show wake-ups, results and waits; thin lines show creation. Grey: all threads sleep.",
      "Wheel: zoom   drag: pan   click: show details   double click: show related tasks",
      "Shift+drag: measure   ?: list all keys   any key or click closes this hint"};
  static constexpr std::string_view touch_lines[] = {
      "Time runs to the right. Each bar is a task:", "white while it runs, dark while it waits.",
      "Arrows show wake-ups, results and waits.", "Drag: pan   two fingers: zoom",
      "Tap: show details   any tap closes this hint"};
  static constexpr std::string_view profile_lines[] = {
      "Time runs to the right. Each bar is a task, from its first sample to its last: white where",
      "samples show it running. Ticks are samples; grey: the thread has none.",
      "Below: click a frame to see where it ran. A task, a lane, a row, or a range (Shift+drag)",
      "restricts the graph.   Wheel: zoom   drag: pan   ?: list all keys   any click closes this "
      "hint"};
  const bool is_profile =
      !frame.tracks.empty() && frame.tracks[0].trace->info.is_sampled() && !frame.marks.hint_touch;
  painter.allow(20);
  const double room = frame.areas.counters - frame.areas.rows;
  if (room < 100) return;
  const std::span<const std::string_view> shown =
      frame.marks.hint_touch ? std::span<const std::string_view>(touch_lines)
      : is_profile           ? std::span<const std::string_view>(profile_lines)
                             : lines;
  // At the edge that is farther from the bar of the first note.
  double y = frame.areas.rows + room * 0.6;
  if (!frame.marks.notes.empty()) {
    const Marks::Note& note = frame.marks.notes[0];
    const bool is_shown =
        note.track < frame.tracks.size() && note.task < frame.tracks[note.track].rows->row.size();
    const uint32_t row = is_shown ? frame.tracks[note.track].rows->row[note.task] : Rows::no_row;
    const double bar = row == Rows::no_row ? 0 : frame.bar_y(note.track, row);
    y = bar > frame.areas.rows + room / 2 ? frame.areas.rows + 50 : frame.areas.counters - 50;
  }
  draw_panel(painter, frame.window.width / 2, y, shown);
}

void draw_notice(const Frame& frame, Painter& painter) {
  std::vector<std::string_view> lines;
  bool any_task = false;
  bool any_row = false;
  double begin = 1e300;
  double end = -1e300;
  for (const Track& track : frame.tracks) {
    any_task = any_task || !track.model->tasks.empty();
    any_row = any_row || !track.rows->tasks.empty();
    begin = std::min(begin, track.offset);
    end = std::max(end, track.offset + static_cast<double>(track.model->end));
  }
  if (frame.tracks.empty())
    lines = {"No trace is open."};
  else if (!any_task)
    lines = {"This trace contains no tasks.",
             "Was the recorder on while the program ran? `skein info` shows the contents."};
  else if (!any_row)
    lines = {"The filter hides all tasks.", "Clear the filter to show them."};
  else if (frame.window.from > end)
    lines = {"The trace ends before this time range.", "Zoom out or show everything."};
  else if (frame.window.to < begin)
    lines = {"The trace begins after this time range.", "Zoom out or show everything."};
  if (lines.empty()) return;
  painter.allow(20);
  draw_panel(painter, frame.window.width / 2, (frame.areas.rows + frame.areas.counters) / 2, lines);
}

}  // namespace skein
