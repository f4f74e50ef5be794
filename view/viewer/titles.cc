// Titles for the primitives of a draw list: invisible shapes over it, so that tooltips do not slow
// down drawing.
#include <algorithm>
#include <cmath>

#include "view/draw/arrows.h"
#include "view/draw/each_bar.h"
#include "view/viewer/panel/task_text.h"
#include "view/viewer/state.h"
#include "view/viewer/viewer.h"

namespace skein {

namespace {

constexpr size_t most_of_a_kind = 1'000;
constexpr size_t most_bars = 3'000;
constexpr double reach = 3;  // pixels on both sides of a line

class Titles {
 public:
  Titles(const Shared& shared, const Panels& panels, const Frame& frame, DrawList& list)
      : shared_(shared), panels_(panels), frame_(frame), list_(list), painter_(list) {}

  // Behind everything except the background.
  void behind() {
    DrawList whole;
    whole.primitives.swap(list_.primitives);
    const auto rest = whole.primitives.begin() + (whole.primitives.empty() ? 0 : 1);
    list_.primitives.assign(whole.primitives.begin(), rest);
    for (uint32_t track = 0; track < frame_.tracks.size(); track++) {
      const Model& model = *frame_.tracks[track].model;
      intervals(track, Item::Kind::Sleep, model.sleeps);
      intervals(track, Item::Kind::Pause, model.pauses);
    }
    list_.primitives.insert(list_.primitives.end(), rest, whole.primitives.end());
  }

  void arrows() {
    if (!frame_.marks.arrows) return;
    struct Arrow {
      Item item;
      ArrowPath path;
    };
    std::vector<Arrow> all;
    std::vector<double> slanted;
    for (uint32_t track = 0; track < frame_.tracks.size(); track++)
      each_arrow(
          frame_, track,
          [&](uint32_t index) {
            const Model::Interaction& arrow = frame_.tracks[track].model->interactions[index];
            ArrowPath path;
            if (!find_path(frame_, track, arrow, path)) return;
            if (path.slanted) slanted.push_back(path.to_x - path.x);
            all.push_back({{Item::Kind::Interaction, track, index}, path});
          },
          [](size_t, double) {});
    const double widest = widest_slanted(slanted);
    painter_.allow(most_of_a_kind);
    for (const Arrow& arrow : all) {
      const ArrowPath& path = arrow.path;
      if (painter_.full()) return;
      if (path.slanted && path.to_x - path.x >= widest) continue;
      const uint32_t title = title_of(arrow.item);
      if (path.slanted) {
        list_.primitives.push_back(
            {static_cast<float>(std::round(path.x)), static_cast<float>(std::round(path.y)),
             static_cast<float>(std::round(path.to_x - path.x)),
             static_cast<float>(std::round(path.to_y - path.y)), title, Shape::Line, Ink::Panel, 0,
             static_cast<uint8_t>(2 * reach), arrow.item});
        continue;
      }
      if (path.to_x - path.x > reach)
        fill(path.x, path.y - reach, path.to_x - path.x, 2 * reach, title);
      fill(path.to_x - reach, std::min(path.y, path.to_y), 2 * reach, std::abs(path.to_y - path.y),
           title);
    }
  }

  // After the bars: it covers them.
  void path() {
    painter_.allow(most_of_a_kind);
    const uint32_t track = frame_.marks.path_track;
    for (const Segment& s : frame_.marks.path) {
      const Track& of = frame_.tracks[track];
      const double x = frame_.x(of, s.begin);
      const double end = frame_.x(of, s.end);
      if (x > frame_.window.width || painter_.full()) return;
      if (end < 0 || end - x < 1 || s.task >= of.rows->row.size()) continue;
      const uint32_t row = of.rows->row[s.task];
      if (row == Rows::no_row || frame_.folded(track, row)) continue;
      fill(x, frame_.bar_y(track, row), end - x, std::max(frame_.bar_height, 2.0),
           painter_.title(task_text(*of.trace, *of.model, s.task) + ", " +
                          shared_.path.title(shared_.session, s)));
    }
  }

  // Skips rows drawn as density.
  void bars() {
    painter_.allow(most_bars);
    for (uint32_t track = 0; track < frame_.tracks.size(); track++) {
      const Rows& rows = *frame_.tracks[track].rows;
      const Frame::Range range = frame_.visible_rows(track);
      for (uint32_t row = range.first; row < range.last && !painter_.full(); row++) {
        if (frame_.folded(track, row)) continue;
        each_bar(frame_, track, row, [&](uint32_t position, double x, double end) {
          if (end - x < 1 || painter_.full()) return;
          fill(x, frame_.bar_y(track, row), end - x, std::max(frame_.bar_height, 1.0),
               title_of({Item::Kind::Task, track, rows.tasks[position]}));
        });
      }
    }
  }

 private:
  void fill(double x, double y, double w, double h, uint32_t title) {
    const double top = std::max<double>(y, frame_.areas.rows);
    const double bottom = std::min<double>(y + h, frame_.areas.counters);
    painter_.fill(Ink::Panel, x, top, w, bottom - top, 0, title);
  }

  void intervals(uint32_t track, Item::Kind kind, const std::vector<Model::ExecutorInterval>& all) {
    painter_.allow(most_of_a_kind);
    const Track& of = frame_.tracks[track];
    const double top = frame_.tracks.size() == 1 ? frame_.areas.rows : frame_.y(track, 0);
    const double bottom =
        frame_.tracks.size() == 1 ? frame_.areas.counters : frame_.y(track, of.rows->count);
    for (uint32_t i = 0; i < all.size() && !painter_.full(); i++) {
      const double x = frame_.x(of, all[i].start);
      const double end = frame_.x(of, all[i].end);
      if (x > frame_.window.width) return;
      if (end >= 0 && end - x >= 1) fill(x, top, end - x, bottom - top, title_of({kind, track, i}));
    }
  }

  uint32_t title_of(const Item& item) {
    std::string text = panels_.text_of(item);
    const bool sentence = item.kind == Item::Kind::Interaction;
    for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
      text.replace(at, 1, sentence ? " " : ", ");
    return painter_.title(text);
  }

  const Shared& shared_;
  const Panels& panels_;
  const Frame& frame_;
  DrawList& list_;
  Painter painter_;
};

}  // namespace

DrawList Viewer::titled_picture() {
  const ViewerState& s = *state_;
  DrawList list = picture();
  if (s.view != &s.timeline) return list;  // titles are those of its bars and arrows
  const Window window = valid_window(s.timeline.window());
  const Marks marks = s.timeline.marks();
  const Frame frame(s.timeline.tracks(), window, marks);
  Titles titles(s.shared, s.panels, frame, list);
  titles.behind();
  titles.arrows();
  titles.bars();
  titles.path();
  return list;
}

}  // namespace skein
