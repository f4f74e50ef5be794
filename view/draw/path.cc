// The critical path over the bars. Running is solid, runnable is a frame, blocked is a line,
// waiting for an external event is dashed. Lines between rows connect the end of one task's segment
// with the start of the next.
#include <algorithm>
#include <cmath>

#include "view/draw/layers.h"

namespace skein {

namespace {

constexpr size_t most_of_path = 6'000;
constexpr double dash = 6;
constexpr double gap = 4;

class PathPainter {
 public:
  PathPainter(const Frame& frame, Painter& painter)
      : frame_(frame), painter_(painter), track_(frame.marks.path_track) {}

  void paint() {
    const std::span<const Segment> path = frame_.marks.path;
    const Track& track = frame_.tracks[track_];
    auto at = std::partition_point(path.begin(), path.end(),
                                   [&](const Segment& s) { return frame_.x(track, s.end) < 0; });
    if (at != path.begin()) --at;  // a line leads from there into the window
    for (; at != path.end() && frame_.x(track, at->begin) <= frame_.window.width; ++at) {
      const uint32_t row =
          at->task < track.rows->row.size() ? track.rows->row[at->task] : Rows::no_row;
      if (row == Rows::no_row) continue;
      const double x = frame_.x(track, at->begin);
      const double y = frame_.middle_y(track_, row);
      if (before_ >= 0 && before_ != y) {
        cross(x, before_);
        cross(x, y);
      }
      before_ = y;
      const double end = frame_.x(track, at->end);
      if (end - x < 1) {
        cross(x, y);
      } else if (!frame_.folded(track_, row)) {
        painter_.show({Item::Kind::Task, static_cast<uint32_t>(track_), at->task});
        segment(at->kind, x, end, frame_.bar_y(track_, row));
        painter_.show_nothing();
      }
    }
    flush();
  }

 private:
  // Adds a point to this column of pixels, which may have thousands.
  void cross(double x, double y) {
    const double column = std::floor(x);
    if (column != column_) {
      flush();
      column_ = column;
      top_ = bottom_ = y;
    }
    top_ = std::min(top_, y);
    bottom_ = std::max(bottom_, y);
  }
  void flush() {
    if (column_ < -2) return;
    const double half = frame_.bar_height / 2;
    const double more = bottom_ - top_ < 2 * half ? half : 0;  // a lone one is as high as a bar
    fill(column_ - 0.5, top_ - more, 2, std::max(bottom_ - top_ + 2 * more, 2.0));
    column_ = -1e9;
  }

  void segment(Segment::Kind kind, double x, double end, double y) {
    const double height = std::max(frame_.bar_height, 2.0);
    const double line = std::max(2.0, std::floor(height / 3));
    const double middle = y + std::floor((height - line) / 2);
    x = std::max(x, -2 * (dash + gap));
    end = std::min(end, frame_.window.width + dash);
    switch (kind) {
      case Segment::Kind::Running:
        return fill(x, y, end - x, height);
      case Segment::Kind::Ready:
        if (height < 4) return fill(x, y, end - x, height, 140);
        fill(x, y, end - x, 2);
        fill(x, y + height - 2, end - x, 2);
        fill(x, y, 1, height);
        return fill(end - 1, y, 1, height);
      case Segment::Kind::Blocked:
        return fill(x, middle, end - x, line);
      case Segment::Kind::External:
      case Segment::Kind::Before:
        for (; x < end; x += dash + gap) fill(x, middle, std::min(dash, end - x), line);
    }
  }

  void fill(double x, double y, double w, double h, uint8_t alpha = 255) {
    const double top = std::max<double>(y, frame_.areas.rows);
    const double bottom = std::min<double>(y + h, frame_.areas.counters);
    if (bottom > top) painter_.fill(Ink::Path, x, top, w, bottom - top, alpha);
  }

  const Frame& frame_;
  Painter& painter_;
  size_t track_;
  double before_ = -1;  // y of the segment before
  double column_ = -1e9;
  double top_ = 0;
  double bottom_ = 0;
};

}  // namespace

void draw_path(const Frame& frame, Painter& painter) {
  if (frame.marks.path.empty() || frame.marks.path_track >= frame.tracks.size()) return;
  painter.allow(most_of_path);
  PathPainter(frame, painter).paint();
}

}  // namespace skein
