#include "view/draw/density.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "view/draw/each_bar.h"

namespace skein {

namespace {

using Level = uint8_t;  // 0: nothing; `darkest`: the maximum
constexpr int levels = 7;
constexpr int level = 32;  // the step between levels; means are finer
constexpr int darkest = levels * level;

// One layer of the picture: a level per pixel. Its cells are allocated on the first write.
struct Grid {
  Grid(size_t c, size_t l) : columns(c), lines(l) {}

  Level* line(size_t l) {
    if (cells.empty()) cells.assign(columns * lines, 0);
    return &cells[l * columns];
  }

  // Merges k x k pixels into one, their mean, but never turns a covered pixel into nothing.
  Grid coarser(size_t k) const {
    Grid coarse((columns + k - 1) / k, (lines + k - 1) / k);
    const auto pixels = static_cast<uint32_t>(k * k);
    std::vector<uint16_t> sums(columns);  // of k lines: at most 48 * 224
    for (size_t first = 0; first < lines; first += k) {
      std::fill(sums.begin(), sums.end(), uint16_t{0});
      for (size_t l = first; l < std::min(first + k, lines); l++) {
        const Level* from = &cells[l * columns];
        for (size_t c = 0; c < columns; c++) sums[c] = static_cast<uint16_t>(sums[c] + from[c]);
      }
      Level* to = coarse.line(first / k);
      for (size_t c = 0; c < coarse.columns; c++) {
        uint32_t sum = 0;
        for (size_t i = c * k; i < std::min(c * k + k, columns); i++) sum += sums[i];
        to[c] = static_cast<Level>(std::max(sum / pixels, std::min(sum, 1u)));
      }
    }
    return coarse;
  }

  size_t columns;
  size_t lines;
  std::vector<Level> cells;
};

struct Run {
  size_t begin = 0;
  size_t end = 0;
  size_t first_line = 0;
  Level level = 0;
};

// Returns the end of the run of cells equal to cells[begin]. Compares eight at a time, as runs are
// short and many.
size_t end_of_run(const Level* cells, size_t begin, size_t end) {
  const Level first = cells[begin];
  const uint64_t alike = first * 0x0101010101010101u;
  size_t at = begin + 1;
  for (; std::endian::native == std::endian::little && at + 8 <= end; at += 8) {
    uint64_t eight;
    std::memcpy(&eight, cells + at, 8);
    if (eight != alike) return at + static_cast<size_t>(std::countr_zero(eight ^ alike)) / 8;
  }
  while (at < end && cells[at] == first) at++;
  return at;
}

// How much adjacent pixels in a line may differ and still be merged, at their mean level: this
// saves rectangles where the difference is invisible. Long runs keep their ends.
struct Merging {
  int difference = 0;
  size_t longest = 0;  // longest run that is merged with the previous ones
};
constexpr std::array<Merging, 5> mergings = {
    {{0, 0}, {level, 4}, {level, 16}, {2 * level, 16}, {2 * level, 48}}};
constexpr Merging merging_of_means = {24, SIZE_MAX};

struct LevelRun {
  size_t end = 0;
  Level level = 0;
};

// Returns the run that is drawn as one from cells[begin] on. Empty cells stay empty.
LevelRun next_run(const Level* cells, size_t begin, size_t end, const Merging& merging) {
  const size_t first = end_of_run(cells, begin, end);
  if (merging.difference == 0 || cells[begin] == 0) return {first, cells[begin]};
  Level low = cells[begin];
  Level high = low;
  size_t at = first;
  size_t sum = low * (at - begin);
  while (at < end && cells[at] != 0) {
    low = std::min(low, cells[at]);
    high = std::max(high, cells[at]);
    if (high - low > merging.difference) break;
    const size_t run = end_of_run(cells, at, end);
    if (run - at > merging.longest) break;
    sum += cells[at] * (run - at);
    at = run;
  }
  const size_t size = at - begin;
  return {at, static_cast<Level>((sum + size / 2) / size)};
}

// Emits cells as rectangles: merges equal neighbours in a line, and equal rectangles of consecutive
// lines. Stops after the line in which `emit` returned false. Returns the number of finished lines.
template <typename Emit>
size_t each_rectangle(const Grid& grid, const Merging& merging, const Emit& emit) {
  std::vector<Run> open;
  std::vector<Run> next;
  bool more = true;
  size_t line = 0;
  for (; line <= grid.lines && more; line++) {
    next.clear();
    const Level* cells = line < grid.lines ? &grid.cells[line * grid.columns] : nullptr;
    auto old = open.begin();
    for (size_t c = 0; cells && c < grid.columns;) {
      const size_t begin = c;
      const LevelRun merged = next_run(cells, c, grid.columns, merging);
      c = merged.end;
      if (merged.level == 0) continue;
      while (old != open.end() && old->begin < begin) more = emit(*old++, line);
      if (old != open.end() && old->begin == begin && old->end == c && old->level == merged.level)
        next.push_back(*old++);
      else
        next.push_back({begin, c, line, merged.level});
    }
    while (old != open.end()) more = emit(*old++, line);
    open.swap(next);
  }
  return line;
}

void paint(const Frame& frame, Painter& painter, const Grid& grid, Ink ink, int faint, int strong,
           size_t most) {
  if (grid.cells.empty()) return;
  constexpr size_t coarsest = 48;  // 32 x 19 cells of a picture of 1500 x 900
  const size_t before = painter.size();
  size_t merging = 0;
  for (size_t k = 1;;) {
    painter.allow(most);
    const Grid coarse = k == 1 ? Grid(0, 0) : grid.coarser(k);
    const Grid& used = k == 1 ? grid : coarse;
    const size_t done = each_rectangle(
        used, k == 1 ? mergings[merging] : merging_of_means, [&](const Run& run, size_t end_line) {
          const auto pixels = [k](size_t cells) { return static_cast<double>(cells * k); };
          const int alpha = run.level < level ? std::max(6, faint * run.level / level)
                                              : faint + (strong - faint) * (run.level - level) /
                                                            (darkest - level);
          painter.fill(ink, pixels(run.begin), frame.areas.rows + pixels(run.first_line),
                       pixels(run.end - run.begin), pixels(end_line - run.first_line),
                       static_cast<uint8_t>(alpha));
          return !painter.full();
        });
    if (!painter.full() || k >= coarsest) return;
    // There are too many; the number of finished lines indicates how many there would have been.
    // Each merging level saves about a third. Cells twice as wide and high need a half to a quarter
    // of the rectangles.
    painter.list().primitives.resize(before);
    const double excess = static_cast<double>(used.lines + 1) / static_cast<double>(done);
    if (k == 1 && merging + 1 < mergings.size() && excess < 8) {
      merging = std::min(merging + (excess > 3 ? 3 : excess > 1.7 ? 2 : 1), mergings.size() - 1);
      continue;
    }
    k = std::max(k + 1, static_cast<size_t>(static_cast<double>(k) * std::sqrt(excess / 2)));
  }
}

// How much of each pixel of one line is covered, in 1/256 of a pixel, summed over its rows. Stores
// only the changes, so that a long bar costs as much as a short one.
class Line {
 public:
  explicit Line(size_t columns) : changes_(columns + 2, 0) {}

  void add(double x, double end) {
    constexpr double least = 0.3;  // pixels: the least a thin bar counts
    const auto width = static_cast<double>(changes_.size() - 2);
    end = std::max(end, x + least);
    if (end <= 0 || x >= width) return;
    const auto from = static_cast<int32_t>(std::max(x, 0.0) * 256);
    const auto to = static_cast<int32_t>(std::min(end, width) * 256);
    const auto first = static_cast<size_t>(from >> 8);
    const auto last = static_cast<size_t>(to >> 8);
    const int32_t outside = from & 255;
    const int32_t inside = to & 255;
    changes_[first] += 256 - outside;
    changes_[first + 1] += outside;
    changes_[last] -= 256 - inside;
    changes_[last + 1] -= inside;
    first_ = std::min(first_, first);
    last_ = std::max(last_, last + 1);
  }

  // Writes the level of each pixel to `out`, which must be zero, and resets the line.
  void take(size_t rows, Level* out) {
    if (first_ > last_) return;
    static const std::array<int32_t, levels> least_covered = thresholds();
    std::array<int32_t, levels> least;  // sums
    for (size_t i = 0; i < levels; i++)
      least[i] = static_cast<int32_t>(
          std::min<int64_t>(int64_t{least_covered[i]} * static_cast<int64_t>(rows), INT32_MAX));
    int32_t sum = 0;
    for (size_t c = first_; c <= last_; c++) changes_[c] = sum += changes_[c];
    // No branches: the compiler vectorizes the loop.
    const size_t end = std::min(last_ + 1, changes_.size() - 2);
    for (size_t c = first_; c < end; c++) {
      int reached = changes_[c] > 0;
      for (size_t i = 1; i < levels; i++) reached += changes_[c] >= least[i];
      out[c] = static_cast<Level>(reached * level);
    }
    std::fill_n(changes_.begin() + static_cast<ptrdiff_t>(first_), last_ + 1 - first_, 0);
    first_ = SIZE_MAX;
    last_ = 0;
  }

 private:
  // The share of a pixel, in 1/256, from which each level starts. Proportional to the square, so
  // that any coverage differs from none: it is at least level 1.
  static std::array<int32_t, levels> thresholds() {
    std::array<int32_t, levels> least;
    for (int i = 0; i < levels; i++) {
      const double root = i / (levels - 0.01);
      least[static_cast<size_t>(i)] = static_cast<int32_t>(std::ceil(root * root * 256));
    }
    return least;
  }

  std::vector<int32_t> changes_;
  size_t first_ = SIZE_MAX;  // the range that may be nonzero
  size_t last_ = 0;
};

}  // namespace

void draw_density(const Frame& frame, Painter& painter, size_t most_bars, size_t most_activations) {
  const auto columns = static_cast<size_t>(frame.window.width) + 1;
  const auto lines = static_cast<size_t>(std::max(0.0f, frame.areas.counters - frame.areas.rows));
  if (lines == 0) return;
  Grid bars(columns, lines);
  Grid running(columns, lines);
  Grid red(columns, lines);
  Grid highlighted(columns, lines);
  Line bar_line(columns);
  Line running_line(columns);
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    const Rows& rows = *frame.tracks[track].rows;
    const bool marked = track < frame.marks.tasks.size() && !frame.marks.tasks[track].empty();
    const Frame::Range range = frame.visible_rows(track);
    size_t rows_in_line = 0;
    const auto line_of = [&](uint32_t row) {
      const double y = frame.y(track, row) - frame.areas.rows;
      return std::min(lines - 1, static_cast<size_t>(std::max(y, 0.0)));
    };
    for (uint32_t row = range.first; row < range.last; row++) {
      if (frame.folded(track, row)) continue;
      const size_t line = line_of(row);
      const auto set = [&](Grid& grid, double x, double end) {
        const auto first = static_cast<size_t>(std::clamp(x, 0.0, frame.window.width + 0.0));
        const auto last = static_cast<size_t>(std::clamp(end, 0.0, frame.window.width + 0.0));
        std::fill(grid.line(line) + first, grid.line(line) + last + 1, Level{darkest});
      };
      each_bar(frame, track, row, [&](uint32_t position, double x, double end) {
        bar_line.add(x, end);
        if (marked && frame.mark(track, rows.tasks[position]) == 1) set(highlighted, x, end);
      });
      each_activation(frame, track, row,
                      [&](uint32_t, double x, double end) { running_line.add(x, end); });
      each_red_part(frame, track, row, [&](uint32_t, double x, double end) { set(red, x, end); });
      rows_in_line++;
      uint32_t next = row + 1;
      while (next < range.last && frame.folded(track, next)) next++;
      if (next >= range.last || line_of(next) != line) {
        bar_line.take(rows_in_line, bars.line(line));
        running_line.take(rows_in_line, running.line(line));
        rows_in_line = 0;
      }
    }
  }
  paint(frame, painter, bars, Ink::Bar, 60, 240, most_bars * 3 / 4);
  paint(frame, painter, running, Ink::Running, 40, 150, most_activations);
  paint(frame, painter, red, Ink::Failed, 255, 255, most_bars / 8);
  paint(frame, painter, highlighted, Ink::Highlight, 255, 255, most_bars / 8);
}

}  // namespace skein
