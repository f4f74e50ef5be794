#include "view/draw/bars.h"

#include "view/draw/density.h"
#include "view/draw/each_bar.h"

namespace skein {

namespace {

constexpr size_t bar_limit = 19'000;
constexpr size_t activation_limit = 8'000;
constexpr size_t red_limit = 3'000;
constexpr size_t most_highlights = 3'000;
constexpr double widest_cell = 64;  // pixels; 450 rows of 2 pixels then need 10,600 rectangles

// Sums up bars narrower than a cell (a pixel, or a few if there are too many bars) per cell.
// Merges adjacent cells of the same colour into one rectangle.
class ThinBars {
 public:
  ThinBars(Painter& painter, double cell, double y, double height, Ink ink, uint8_t densest)
      : painter_(painter), cell_(cell), y_(y), height_(height), ink_(ink), densest_(densest) {}

  // Adds `count` bars, the first at x.
  void add(double x, uint32_t count, double width, bool faded) {
    const int64_t cell = cell_of(x);
    if (cell != at_) {
      close();
      at_ = cell;
      count_ = 0;
      width_ = 0;
      faded_ = true;
    }
    count_ += count;
    width_ += width;
    faded_ = faded_ && faded;
  }

  // Flushes. The next bar begins at `next` pixels and ends at `end`.
  void finish(double next = 1e9, double end = 1e9) {
    close();
    flush(cell_of(next));
    at_ = none;
    before_ = cell_of(end);
  }

 private:
  static constexpr int64_t none = INT64_MIN;

  int64_t cell_of(double x) const {
    return static_cast<int64_t>(std::clamp(x / cell_, -1.0, 1e9) + 1);
  }

  // A single bar thinner than a pixel is visible; a crowd is darker.
  uint8_t alpha() const {
    if (faded_) return 40;
    if (ink_ == Ink::Failed) return 255;
    if (ink_ == Ink::Bar) return count_ <= 1 ? 150 : count_ <= 3 ? 185 : count_ <= 7 ? 220 : 255;
    const double share = width_ / cell_;
    return std::min<uint8_t>(densest_, share < 0.1   ? 90
                                       : share < 0.3 ? 140
                                       : share < 0.6 ? 200
                                                     : 255);
  }

  void close() {
    if (at_ == none) return;
    if (end_ != at_ || alpha() != alpha_) {
      flush(at_);
      begin_ = at_;
      alpha_ = alpha();
    }
    end_ = at_ + 1;
  }

  // A lone bar is widened, or a line that crosses its row would hide it.
  void flush(int64_t next) {
    if (end_ > begin_) {
      const bool alone = ink_ != Ink::Running && cell_ == 1 && end_ - begin_ == 1;
      const double left = alone && begin_ - before_ >= 3 ? 1 : 0;
      const double right = alone && next - end_ >= 3 ? 1 : 0;
      painter_.fill(ink_, static_cast<double>(begin_ - 1) * cell_ - left, y_,
                    static_cast<double>(end_ - begin_) * cell_ + left + right, height_, alpha_);
      before_ = end_;
    }
    begin_ = end_ = 0;
  }

  Painter& painter_;
  double cell_, y_, height_;
  Ink ink_;  // Bar, Running or Failed
  uint8_t densest_;
  // The cell being summed up.
  int64_t at_ = none;
  uint32_t count_ = 0;
  double width_ = 0;
  bool faded_ = false;
  // The rectangle being extended.
  int64_t begin_ = 0;
  int64_t end_ = 0;
  int64_t before_ = -3;  // the end of the bar to its left
  uint8_t alpha_ = 0;
};

class BarPainter {
 public:
  BarPainter(const Frame& frame, size_t track, Painter& painter, double cell)
      : frame_(frame), track_(track), painter_(painter), cell_(cell) {}

  void bars(uint32_t row) {
    if (frame_.tracks[track_].rows->is_lane(row)) return lane(row);
    const double y = frame_.bar_y(track_, row);
    const Rows& rows = *frame_.tracks[track_].rows;
    ThinBars thin(painter_, cell_, y, frame_.bar_height, Ink::Bar, 255);
    const auto crowd = [&](uint32_t first, uint32_t last, double x, double width) {
      bool faded = frame_.marked(track_);
      for (uint32_t i = first; i < last && faded; i++)
        faded = frame_.mark(track_, rows.tasks[i]) == 2;
      thin.add(x, last - first, width, faded);
    };
    const auto bar = [&](uint32_t position, double x, double end) {
      const TaskIndex task = rows.tasks[position];
      const uint8_t mark = frame_.mark(track_, task);
      thin.finish(x, end);
      const Ink ink =
          rows.bar_styles[position] == Rows::BarStyle::Named ? Ink::Bar : Ink::BarUnnamed;
      painter_.show({Item::Kind::Task, static_cast<uint32_t>(track_), task});
      painter_.fill(ink, x, y, end - x, frame_.bar_height, mark == 2 ? 70 : 255);
      // The task did not end; no later event refers to it.
      const Model::Task& described = frame_.tracks[track_].model->tasks[task];
      if (frame_.row_height >= 6 && described.how == Model::End::Open &&
          !described.is_unresolved()) {
        const double middle = y + frame_.bar_height / 2;
        painter_.arrow(ink, end, middle, end + 8, middle);
      }
      painter_.show_nothing();
    };
    each_bar(frame_, track_, row, cell_, bar, crowd);
    thin.finish();
  }

  void activations(uint32_t row) {
    const Track& track = frame_.tracks[track_];
    // A dark edge separates white from a light background: around the bar, or the bar's own border
    // where there is no room. In a bar of two pixels the white is translucent so that the bar shows
    // through.
    const bool edge = frame_.bar_height >= 3 && frame_.row_height >= 6;
    const bool within = frame_.bar_height >= 3 && !edge;
    const uint8_t densest = edge || within ? 255 : 165;
    const double y = frame_.bar_y(track_, row) + (within ? 1 : 0);
    const double height = frame_.bar_height - (within ? 2 : 0);
    const double inset = edge ? 1 : 0;
    const double narrowest = std::max(cell_, edge ? 3.0 : 1.0);
    const bool marked = frame_.marked(track_);  // checked once: a mark costs a cache miss
    const auto task_of = [&](uint32_t position) {
      return track.model->activations[track.rows->activations[position]].task;
    };
    ThinBars thin(painter_, cell_, y + inset, height - 2 * inset, Ink::Running, densest);
    const auto crowd = [&](uint32_t first, uint32_t last, double x, double width) {
      bool faded = marked;
      for (uint32_t i = first; i < last && faded; i++) faded = frame_.mark(track_, task_of(i)) == 2;
      thin.add(x, last - first, width, faded);
    };
    const auto activation = [&](uint32_t position, double x, double end) {
      const bool faded = marked && frame_.mark(track_, task_of(position)) == 2;
      if (end - x < narrowest) {
        thin.add(x, 1, end - x, faded);
        return;
      }
      thin.finish();
      if (edge) painter_.fill(Ink::Bar, x, y - 1, end - x, height + 2, faded ? 70 : 255);
      painter_.fill(Ink::Running, x + inset, y, end - x - 2 * inset, height, faded ? 70 : densest);
    };
    each_activation(frame_, track_, row, cell_, activation, crowd);
    thin.finish();
  }

  // What ran on an executor, as bars that activations() fills.
  void lane(uint32_t row) {
    const Track& track = frame_.tracks[track_];
    const double y = frame_.bar_y(track_, row);
    ThinBars thin(painter_, cell_, y, frame_.bar_height, Ink::Bar, 255);
    const auto crowd = [&](uint32_t first, uint32_t last, double x, double width) {
      thin.add(x, last - first, width, false);
    };
    const auto bar = [&](uint32_t position, double x, double end) {
      thin.finish(x, end);
      const TaskIndex task = track.model->activations[track.rows->activations[position]].task;
      painter_.show({Item::Kind::Task, static_cast<uint32_t>(track_), task});
      painter_.fill(Ink::Bar, x, y, end - x, frame_.bar_height);
      painter_.show_nothing();
    };
    each_activation(frame_, track_, row, cell_, bar, crowd);
    thin.finish();
  }

  void red_parts(uint32_t row) {
    const double y = frame_.bar_y(track_, row);
    const Rows& rows = *frame_.tracks[track_].rows;
    const auto is_faded = [&](uint32_t part) {
      return frame_.mark(track_, rows.tasks[rows.red_positions[part]]) == 2;
    };
    ThinBars thin(painter_, cell_, y, frame_.bar_height, Ink::Failed, 255);
    const auto crowd = [&](uint32_t first, uint32_t last, double x, double width) {
      bool faded = frame_.marked(track_);
      for (uint32_t i = first; i < last && faded; i++) faded = is_faded(i);
      thin.add(x, last - first, width, faded);
    };
    const auto part = [&](uint32_t which, double x, double end) {
      thin.finish(x, end);
      painter_.fill(Ink::Failed, x, y, end - x, frame_.bar_height, is_faded(which) ? 70 : 255);
    };
    each_red_part(frame_, track_, row, cell_, part, crowd);
    thin.finish();
  }

 private:
  const Frame& frame_;
  size_t track_;
  Painter& painter_;
  double cell_;
};

// Paints all rows by paint(painter of a track, row). Widens the cells until `most` rectangles are
// enough.
template <typename Paint>
void draw_rows(const Frame& frame, Painter& painter, size_t most, const Paint& paint) {
  const size_t before = painter.size();
  for (double cell = 1;; cell *= 2) {
    painter.allow(most);
    for (size_t track = 0; track < frame.tracks.size() && !painter.full(); track++) {
      BarPainter bars(frame, track, painter, cell);
      const Frame::Range rows = frame.visible_rows(track);
      for (uint32_t row = rows.first; row < rows.last && !painter.full(); row++)
        if (!frame.folded(track, row)) paint(bars, row);
    }
    if (!painter.full() || cell >= widest_cell) return;
    painter.list().primitives.resize(before);
  }
}

// A one-pixel failure among thousands of bars is hard to see. Redraws the failed bars of the list
// from `begin` on enlarged, on top: at least as large as a mark, at least as high as a line. Does
// nothing if there are more than most_marks.
void enlarge_failures(Painter& painter, size_t begin) {
  constexpr float mark = 7;
  constexpr float line = 3;
  constexpr size_t most_marks = 300;
  std::vector<Primitive> small;
  const std::vector<Primitive>& all = painter.list().primitives;
  for (size_t i = begin; i < all.size() && small.size() <= most_marks; i++)
    if (all[i].ink == Ink::Failed && all[i].shape == Shape::Fill &&
        (all[i].w < mark || all[i].h < line))
      small.push_back(all[i]);
  if (small.size() > most_marks) return;
  painter.allow(most_marks);
  for (const Primitive& red : small) {
    const float wide = std::max(red.w, mark);
    const float high = std::max(red.h, red.w < mark ? mark : line);
    painter.fill(Ink::Failed, red.x + (red.w - wide) / 2, red.y + (red.h - high) / 2, wide, high);
  }
}

}  // namespace

void draw_highlights(const Frame& frame, Painter& painter) {
  if (frame.row_height < 2) return;  // draw_density draws its own
  painter.allow(most_highlights);
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    if (!frame.marked(track)) continue;
    const Rows& rows = *frame.tracks[track].rows;
    const Frame::Range range = frame.visible_rows(track);
    for (uint32_t row = range.first; row < range.last; row++) {
      if (frame.folded(track, row)) continue;
      double begin = 0;
      double end = -1e9;  // of the touching bars so far
      const auto paint = [&] {
        if (end > begin)
          painter.fill(Ink::Highlight, begin - 2, frame.y(track, row), end - begin + 4,
                       frame.row_height);
      };
      each_bar(frame, track, row, [&](uint32_t position, double x, double end_x) {
        if (frame.mark(track, rows.tasks[position]) != 1) return;
        if (x > end + 4) {
          paint();
          begin = x;
        }
        end = std::max(end_x, x + 0.01);
      });
      paint();
    }
  }
}

void draw_bars(const Frame& frame, Painter& painter) {
  const size_t begin = painter.size();
  if (frame.row_height < 2) {
    draw_density(frame, painter, bar_limit, activation_limit);
  } else {
    draw_rows(frame, painter, bar_limit, [](BarPainter& bars, uint32_t row) { bars.bars(row); });
    draw_rows(frame, painter, activation_limit,
              [](BarPainter& bars, uint32_t row) { bars.activations(row); });
    draw_rows(frame, painter, red_limit,
              [](BarPainter& bars, uint32_t row) { bars.red_parts(row); });
  }
  enlarge_failures(painter, begin);
}

}  // namespace skein
