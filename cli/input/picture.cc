#include "cli/input/picture.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/duration.h"
#include "base/escape.h"
#include "base/text.h"
#include "cli/die.h"
#include "cli/input/memory_trace.h"
#include "cli/input/running.h"
#include "cli/input/trace_input.h"
#include "trace/model/names.h"

namespace skein::cli {

namespace {

double time_argument(const std::string& option, const std::string& text) {
  const std::optional<double> time = parse_duration(text);
  if (!time) die(2, option + ": '" + text + "' is not a time (examples: 1.5s, 20ms, 300us, 7ns)");
  return *time;
}

struct TimeRange {
  double from = std::numeric_limits<double>::infinity();
  double to = -std::numeric_limits<double>::infinity();
  void include(double begin, double end) {
    from = std::min(from, begin);
    to = std::max(to, end);
  }
};

// The time range of all traces.
TimeRange whole_time(const Viewer& viewer) {
  TimeRange all;
  for (const Track& track : viewer.tracks())
    all.include(track.offset, track.offset + static_cast<double>(track.model->end));
  return all;
}

TimeRange highlighted_time(const Viewer& viewer) {
  TimeRange found;
  const Marks marks = viewer.marks();
  const auto tracks = viewer.tracks();
  for (size_t t = 0; t < std::min(tracks.size(), marks.tasks.size()); t++)
    for (size_t i = 0; i < marks.tasks[t].size(); i++) {
      if (marks.tasks[t][i] != 1) continue;
      const Model::Task& task = tracks[t].model->tasks[i];
      found.include(tracks[t].offset + static_cast<double>(task.start),
                    tracks[t].offset + static_cast<double>(std::max(task.start, task.end)));
    }
  return found;
}

}  // namespace

Picture open_picture(const PictureOptions& options) {
  Picture picture;
  if (!options.theme.empty()) {
    picture.theme = find_theme(options.theme);
    if (picture.theme == nullptr) {
      std::string names;
      for (const Theme& theme : themes) (names += names.empty() ? "" : ", ") += theme.name;
      die(2, "--theme: unknown theme '" + options.theme + "'; available: " + names);
    }
  }
  std::optional<double> from;
  std::optional<double> to;
  if (!options.from.empty()) from = time_argument("--from", options.from);
  if (!options.to.empty()) to = time_argument("--to", options.to);
  if (from && to && !(*from < *to))
    die(2, "--from " + options.from + " is not before --to " + options.to);

  Viewer& viewer = picture.viewer;
  reject_duplicate_stdin(options.traces);
  for (const std::string& text : options.traces) {
    std::optional<MemoryTrace> memory = open_memory_trace(text, most_in_picture);
    const std::string path = memory ? text : trace_directory(text);
    Trace trace = memory ? std::move(memory->trace)
                         : open_trace(path, viewer.tick_clocks(), {.memory = true});
    if (!memory) report_losses(trace, path);
    const std::string name = memory ? memory->title : trace_name(path);
    if (memory) picture.note = escaped(memory->title) + ". " + std::string(memory_trace_note) + ".";
    if (trace.info.is_sampled()) picture.note = sampled_note(trace) + ".";
    picture.title += (picture.title.empty() ? "" : ", ") + name;
    Model model = build_model(trace);
    LoadedTrace loaded(std::move(trace), std::move(model));
    loaded.find_problems();  // the picture shows which tasks are stuck
    viewer.add(std::move(loaded), name);
  }
  // The notes are beside the first trace, and their times are relative to it.
  if (const std::string notes = kept_notes_or_none(options.traces[0]); !notes.empty())
    (void)viewer.load_notes(notes).has_value();  // kept_notes_or_none has parsed them
  if (picture.theme != nullptr) viewer.set_theme(*picture.theme);

  const TimeRange all = whole_time(viewer);
  TimeRange shown = all;
  if (!options.critical.empty()) {
    if (!viewer.show_critical_path(options.critical))
      die(1, "--critical-path: no task has id, label or name '" + options.critical + "'");
    const Marks marks = viewer.marks();
    const double offset = viewer.tracks()[marks.path_track].offset;
    const double from_path = static_cast<double>(marks.path.front().begin) + offset;
    const double to_path = static_cast<double>(marks.path.back().end) + offset;
    const double margin = (to_path - from_path) * 0.05;
    shown = {std::max(all.from, from_path - margin), std::min(all.to, to_path + margin)};
  }
  if (!options.select.empty()) {
    if (viewer.search(options.select).count == 0)
      die(1, "--select: no task has '" + options.select + "' in its label, name or location");
    shown = highlighted_time(viewer);
    const double margin = std::max(1e3, (shown.to - shown.from) * 0.05);
    shown = {std::max(all.from, shown.from - margin), std::min(all.to, shown.to + margin)};
  }
  if (from && *from < all.from)
    die(2, "--from " + options.from + ": the trace begins at " + duration_text(all.from));
  if (from && *from >= all.to)
    die(2, "--from " + options.from + ": the trace ends at " + duration_text(all.to));
  if (to && *to <= all.from)
    die(2, "--to " + options.to + ": the trace begins at " + duration_text(all.from));
  if (from || to) shown = {from.value_or(all.from), to.value_or(all.to)};
  if (from && !to) shown.to = std::max(shown.to, *from + 1);
  picture.whole = !from && !to && options.select.empty() && options.critical.empty();
  picture.from = shown.from;
  picture.to = shown.to;
  return picture;
}

}  // namespace skein::cli
