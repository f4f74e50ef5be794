// `skein show`: draws traces in the terminal.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/picture.h"
#include "cli/output/print.h"
#include "cli/output/terminal.h"
#include "cli/output/terminal_legend.h"
#include "view/draw/areas.h"
#include "view/draw/scene.h"
#include "view/paint/paint.h"

namespace skein::cli {

namespace {

// The size of a cell in units of the draw list. The time axis takes three lines.
constexpr uint32_t cell_width = 8;
constexpr uint32_t cell_height = 16;
constexpr uint32_t axis_lines = 3;
constexpr uint32_t rows_per_page = 200;  // limits the size of the draw list

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

TerminalColours find_colours(const std::string& wanted, const Terminal& terminal) {
  if (wanted == "never") return TerminalColours::None;
  if (wanted == "auto" && (!terminal.is_terminal || !variable("NO_COLOR").empty() ||
                           variable("TERM").empty() || variable("TERM") == "dumb"))
    return TerminalColours::None;
  const std::string_view colorterm = variable("COLORTERM");
  return colorterm == "truecolor" || colorterm == "24bit" ? TerminalColours::All
                                                          : TerminalColours::Few;
}

// Some terminals set COLORFGBG to "foreground;background", two numbers from a palette of 16
// colours.
const Theme& find_background() {
  const std::string_view colorfgbg = variable("COLORFGBG");
  const bool is_light = colorfgbg.ends_with(";7") || colorfgbg.ends_with(";15");
  return *find_theme(is_light ? "light" : "dark");
}

// Returns lines for at most `most` rows: the rows with the most events in the window (starts, ends
// and activations of tasks; failures rank first), in the order of rows. Of rows with equal counts
// the first is chosen. Folded rows have no line. The names of traces stay above their rows and are
// counted.
std::vector<uint32_t> busiest_rows(std::span<const Track> tracks, const Window& window, Lines open,
                                   size_t most) {
  struct Row {
    size_t index;
    uint64_t events;
    size_t name;  // row of the name of its trace; SIZE_MAX: none
  };
  std::vector<Row> rows;
  size_t total = 0;
  for (const Track& track : tracks) {
    const auto in_sight = [&](uint64_t time) {
      const double at = static_cast<double>(time) + track.offset;
      return at >= window.from && at <= window.to;
    };
    const auto time_of = [&](uint32_t rounded) {
      return rounded == UINT32_MAX
                 ? HUGE_VAL
                 : std::ldexp(rounded, static_cast<int>(track.rows->time_shift)) + track.offset;
    };
    const size_t title = total;
    if (tracks.size() > 1) total++;
    std::vector<size_t> name_of(track.rows->count, tracks.size() > 1 ? title : SIZE_MAX);
    for (uint32_t row = 0; row < track.rows->count; row++) {
      uint64_t events = 0;
      for (uint32_t i = track.rows->begin[row]; i < track.rows->begin[row + 1]; i++) {
        const Model::Task& task = track.model->tasks[track.rows->tasks[i]];
        events += in_sight(task.start) + in_sight(task.end);
      }
      for (uint32_t i = track.rows->red_begin[row]; i < track.rows->red_begin[row + 1]; i++)
        if (const auto [start, end] = track.rows->red_times[i];
            window.from <= time_of(end) && time_of(start) <= window.to)
          events += uint64_t{1} << 32;
      for (uint32_t i = track.rows->activation_begin[row];
           i < track.rows->activation_begin[row + 1]; i++)
        events += in_sight(track.model->activations[track.rows->activations[i]].start);
      const size_t index = total + row;
      if (index != name_of[row] && !is_folded(open, index))
        rows.push_back({index, events, name_of[row]});
    }
    total += track.rows->count;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.events > b.events; });
  std::vector<uint8_t> chosen(total, 0);
  size_t used = 0;
  for (const Row& row : rows) {
    const bool names = row.name != SIZE_MAX && !chosen[row.name];
    if (used + 1 + names > most) continue;
    chosen[row.index] = 1;
    if (names) chosen[row.name] = 1;
    used += 1 + names;
  }
  std::vector<uint32_t> lines(1, 0);
  for (const uint8_t is_chosen : chosen) lines.push_back(lines.back() + is_chosen);
  return lines;
}

size_t lines_of(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

class Show {
 public:
  Show(std::span<const Track> tracks, const Marks& marks, const Window& window, const Theme& theme,
       uint32_t columns, TerminalColours colours)
      : tracks_(tracks),
        marks_(marks),
        window_(window),
        theme_(theme),
        columns_(columns),
        colours_(colours) {
    window_.width = static_cast<float>(columns * cell_width);
    window_.column = cell_width;
    window_.row_height = cell_height;
    marks_.scroll_bar = false;
    for (const Track& track : tracks) shown_.emplace_back(track.model->counters.size(), 0);
    for (const auto& shown : shown_) counters_.push_back(shown);
  }

  // Draws only these lines from now on. Precondition: they outlive this object.
  void fold(Lines lines) { marks_.lines = lines; }

  // Appends `count` rows from `first` on, below the time axis if `first` is 0.
  void rows(std::string& out, uint32_t first, uint32_t count) {
    // The axis ends within a cell, so the rows are moved down to the next edge.
    const Areas at = areas(tracks_, window_, marks_);
    const double gap = axis_lines * cell_height - static_cast<double>(at.rows);
    window_.top = row_in(marks_.lines, first - gap / cell_height);
    window_.height = static_cast<float>((axis_lines + count) * cell_height);
    Marks marks = marks_;
    marks.counters = counters_;
    draw(tracks_, window_, marks, list_);
    legend_.add(list_);
    paint(out, first == 0 ? 0 : axis_lines);
  }

  // Appends a strip for each scale that has a value in the window, in at most `most_lines` lines.
  // Returns the number of strips omitted.
  size_t counters(std::string& out, size_t most_lines) {
    size_t omitted = 0;
    for (size_t t = 0; t < tracks_.size(); t++) {
      const Model& model = *tracks_[t].model;
      for (uint32_t scale = 0; scale < model.scales.size(); scale++) {
        for (size_t c = 0; c < model.counters.size(); c++)
          shown_[t][c] = model.counters[c].scale == scale;
        const std::string drawn = strip();
        if (lines_of(out) + lines_of(drawn) > most_lines)
          omitted++;
        else
          out += drawn;
        for (const uint8_t shown : shown_[t]) marks_.first_counter_ink += shown;
      }
      std::fill(shown_[t].begin(), shown_[t].end(), uint8_t{0});
    }
    return omitted;
  }

  std::string legend() const { return legend_.text(theme_, columns_, colours_); }

 private:
  // Draws the strip of the visible counters, without the picture above it. Aligns its upper edge
  // with a line. Empty if it has no values.
  std::string strip() {
    Marks marks = marks_;
    marks.counters = counters_;
    window_.top = 1e9;
    window_.height = 40 * cell_height;
    const float high = window_.height - areas(tracks_, window_, marks).counters;
    if (high <= 0) return "";
    const auto above = static_cast<uint32_t>((window_.height - high) / cell_height);
    window_.height = static_cast<float>(above * cell_height) + high;
    draw(tracks_, window_, marks, list_);
    const bool any_value =
        std::any_of(list_.primitives.begin(), list_.primitives.end(), [](const Primitive& p) {
          return p.shape != Shape::Text && p.ink >= Ink::Counter0 && p.ink <= Ink::Counter7;
        });
    std::string out;
    if (any_value) paint(out, above);
    return out;
  }

  // Appends the picture without its first `skipped` lines.
  void paint(std::string& out, uint32_t skipped) {
    const std::string text = to_terminal(list_, theme_, columns_, colours_);
    size_t begin = 0;
    for (; skipped > 0; skipped--) begin = text.find('\n', begin) + 1;
    out.append(text, begin);
  }

  std::span<const Track> tracks_;
  Marks marks_;
  Window window_;
  const Theme& theme_;
  uint32_t columns_;
  TerminalColours colours_;
  DrawList list_;
  TerminalLegend legend_;
  std::vector<std::vector<uint8_t>> shown_;  // visible counters, by track; only in counters()
  std::vector<std::span<const uint8_t>> counters_;
};

}  // namespace

int run_show(const ShowOptions& options) {
  const Terminal terminal = find_terminal();
  const uint32_t columns = options.width != 0 ? options.width : terminal.columns;
  const TerminalColours colours = find_colours(options.colour, terminal);
  Picture picture = open_picture(options.picture);
  Viewer& viewer = picture.viewer;
  viewer.resize(static_cast<float>(columns * cell_width), 900);
  if (!picture.whole) {
    viewer.show(picture.from, picture.to);
    viewer.run(Command::FitRows);  // rows without a bar in the window would be empty lines
  }
  const Window window = viewer.window();
  const std::span<const Track> tracks = viewer.tracks();
  const Lines open = viewer.marks().lines;
  const Theme& theme = picture.theme != nullptr ? *picture.theme : find_background();
  Show show(tracks, viewer.marks(), window, theme, columns, colours);

  std::string counters;
  const size_t most = terminal.is_terminal && !options.all ? terminal.lines / 4 : SIZE_MAX;
  const size_t omitted = show.counters(counters, most);
  const auto rows =
      static_cast<uint32_t>(std::min(1e6, open.empty() ? total_rows(tracks) : open.back()));
  uint32_t shown = rows;
  if (terminal.is_terminal && !options.all) {
    constexpr size_t around = axis_lines + 3;  // and the omission notes and the next prompt
    const size_t taken = around + lines_of(counters) + TerminalLegend::most_lines(columns, colours);
    shown = std::min(
        rows, std::max<uint32_t>(4, terminal.lines - static_cast<uint32_t>(
                                                         std::min<size_t>(taken, terminal.lines))));
  }
  std::vector<uint32_t> lines;
  if (shown < rows) {
    lines = busiest_rows(tracks, window, open, shown);
    show.fold(lines);
  }
  Output out(stdout, Output::Content::Text);
  if (!picture.note.empty()) out.text() += picture.note + "\n\n";
  uint32_t done = 0;
  do {
    const uint32_t page = std::min(rows_per_page, shown - done);
    show.rows(out.text(), done, std::max(page, done == 0 ? 3u : page));
    out.line_done();
    done += page;
  } while (done < shown);
  out.text() += counters;
  if (omitted > 0) out.text() += "+ " + counted(omitted, "more counter") + "; --all shows all\n";
  if (shown < rows)
    out.text() += "+ " + counted(rows - shown, "more row") +
                  "; --all shows all, --from and --to select a range\n";
  out.text() += show.legend();
  if (!options.picture.critical.empty() && colours == TerminalColours::None)
    out.text() += "The critical path needs colour; skein critical prints it as text.\n";
  out.finish();
  return 0;
}

}  // namespace skein::cli
