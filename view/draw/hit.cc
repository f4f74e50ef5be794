#include "view/draw/hit.h"

#include <cmath>

#include "trace/model/names.h"
#include "view/draw/arrows.h"
#include "view/draw/each_bar.h"
#include "view/draw/layers.h"
#include "view/draw/text.h"

namespace skein {

namespace {

constexpr double near = 4;  // pixels

double distance_to_segment(double px, double py, double x, double y, double to_x, double to_y) {
  const double wide = to_x - x;
  const double high = to_y - y;
  const double square = wide * wide + high * high;
  const double along = square > 0 ? ((px - x) * wide + (py - y) * high) / square : 0;
  const double share = std::clamp(along, 0.0, 1.0);
  const double dx = px - (x + share * wide);
  const double dy = py - (y + share * high);
  return std::sqrt(dx * dx + dy * dy);
}

double distance_to_path(double px, double py, const ArrowPath& path) {
  if (path.slanted) return distance_to_segment(px, py, path.x, path.y, path.to_x, path.to_y);
  return std::min(distance_to_segment(px, py, path.x, path.y, path.to_x, path.y),
                  distance_to_segment(px, py, path.to_x, path.y, path.to_x, path.to_y));
}

Item hit_task(const Frame& frame, double x, double y, double slack_x, bool on_the_bar) {
  Item hit;
  double nearest = 1e300;
  for (uint32_t track = 0; track < frame.tracks.size(); track++) {
    const Rows& rows = *frame.tracks[track].rows;
    const double at =
        row_in(frame.lines, (y - frame.areas.rows) / frame.row_height + frame.top_line) -
        frame.first_row[track];
    if (at < 0 || at >= rows.count) continue;
    const auto row = static_cast<uint32_t>(at);
    const double bar_y = frame.bar_y(track, row);
    if (on_the_bar && (y < bar_y - 1 || y > bar_y + frame.bar_height + 1)) continue;
    const auto near_to = [&](TaskIndex task, double begin, double end) {
      const double distance = x < begin ? begin - x : x > end ? x - end : 0;
      if (distance > slack_x || distance > nearest || task == no_index) return;
      nearest = distance;
      hit = {Item::Kind::Task, track, task};
    };
    each_bar(frame, track, row, [&](uint32_t position, double begin, double end) {
      near_to(rows.tasks[position], begin, end);
    });
    if (!rows.is_lane(row)) continue;
    each_activation(frame, track, row, [&](uint32_t position, double begin, double end) {
      near_to(frame.tracks[track].model->activations[rows.activations[position]].task, begin, end);
    });
  }
  return hit;
}

// The lane at a point; `named`: only where its name is, above what ran.
Item hit_lane(const Frame& frame, double x, double y, bool named) {
  for (uint32_t track = 0; track < frame.tracks.size(); track++) {
    const Track& t = frame.tracks[track];
    for (uint32_t lane = 0; lane < t.rows->lanes.size(); lane++) {
      const double top = frame.y(track, lane), bar = frame.bar_y(track, lane);
      if (y < top || y >= top + frame.row_height) continue;
      const uint32_t executor = t.rows->lanes[lane];
      const bool at_name = frame.has_labels && y < bar - 1 &&
                           x < 10 + static_cast<double>(text_width(
                                        executor_title(*t.trace, executor), frame.label_size));
      if (named && !at_name) return {};
      return {Item::Kind::Lane, track, executor};
    }
  }
  return {};
}

Item hit_arrow(const Frame& frame, double x, double y) {
  struct Near {
    Item item;
    double distance;
    double slanted;  // its width; 0: not slanted
  };
  std::vector<Near> all;
  std::vector<double> slanted;
  for (uint32_t track = 0; track < frame.tracks.size(); track++) {
    const auto visit = [&](uint32_t index) {
      ArrowPath path;
      if (!find_path(frame, track, frame.tracks[track].model->interactions[index], path)) return;
      const double width = path.slanted ? path.to_x - path.x : 0;
      if (path.slanted) slanted.push_back(width);
      const double distance = distance_to_path(x, y, path);
      if (distance <= near)
        all.push_back({{Item::Kind::Interaction, track, index}, distance, width});
    };
    each_arrow(frame, track, visit, [](size_t, double) {});
  }
  const double widest = widest_slanted(slanted);
  Item hit;
  double nearest = near;
  for (const Near& arrow : all) {
    if (arrow.slanted >= widest || arrow.distance > nearest) continue;
    nearest = arrow.distance;
    hit = arrow.item;
  }
  return hit;
}

Item hit_stretch(const Frame& frame, double x, Item::Kind kind,
                 const std::vector<Model::ExecutorInterval> Model::*intervals) {
  for (uint32_t track = 0; track < frame.tracks.size(); track++) {
    const std::vector<Model::ExecutorInterval>& all = frame.tracks[track].model->*intervals;
    for (uint32_t i = 0; i < all.size(); i++) {
      const double begin = frame.x(frame.tracks[track], all[i].start);
      if (begin > x) break;
      if (x <= std::max(frame.x(frame.tracks[track], all[i].end), begin + 1))
        return {kind, track, i};
    }
  }
  return {};
}

Item hit_counter(const Frame& frame, double x, double y) {
  const std::vector<CounterStrip> strips = counter_strips(frame.tracks, frame.marks);
  const StripRoom room = room_for_strips(strips.size(), frame.window);
  const auto at = static_cast<size_t>((y - frame.areas.counters) / room.height);
  if (at >= room.count) return {};
  const CounterStrip& strip = strips[at];
  const Model& model = *frame.tracks[strip.track].model;
  const Model::Scale scale = scale_in_sight(frame, strip);
  // Of the counters in the strip, the one with the nearest line.
  Item hit;
  double nearest = 1e300;
  const double time = frame.time_at(x) - frame.tracks[strip.track].offset;
  for (const uint32_t index : strip.counters) {
    const std::vector<Model::Counter::Point>& points = model.counters[index].points;
    const auto after = std::partition_point(
        points.begin(), points.end(),
        [&](const Model::Counter::Point& p) { return static_cast<double>(p.time) <= time; });
    const auto value = static_cast<double>(after == points.begin() ? 0 : (after - 1)->value);
    const double range = static_cast<double>(scale.high) - static_cast<double>(scale.low);
    const double share = range > 0 ? (value - static_cast<double>(scale.low)) / range : 0.5;
    const double line = frame.areas.counters + static_cast<double>(at) * room.height + strip_title +
                        (room.height - strip_title - 4) * (1 - share);
    const double distance = y < line ? line - y : y - line;
    if (distance >= nearest) continue;
    nearest = distance;
    hit = {Item::Kind::Counter, strip.track, index};
  }
  return hit;
}

}  // namespace

Item hit(std::span<const Track> tracks, const Window& window, const Marks& marks, float x,
         float y) {
  const Window checked = valid_window(window);
  const Frame frame(tracks, checked, marks);
  if (!(x >= 0 && x <= checked.width && y >= 0)) return {};
  if (y < frame.areas.rows) return {Item::Kind::Axis, 0, 0};
  if (y >= frame.areas.legend) return {};
  if (y >= frame.areas.counters) return hit_counter(frame, x, y);
  // The name of a lane; the bar; then a nearby arrow; then the texts above or below a bar; then the
  // background.
  Item found = hit_lane(frame, x, y, true);
  if (found.kind == Item::Kind::Nothing) found = hit_task(frame, x, y, 0.5, true);
  if (found.kind == Item::Kind::Nothing && marks.arrows) found = hit_arrow(frame, x, y);
  if (found.kind == Item::Kind::Nothing) found = hit_task(frame, x, y, near, false);
  if (found.kind == Item::Kind::Nothing)
    found = hit_stretch(frame, x, Item::Kind::Pause, &Model::pauses);
  if (found.kind == Item::Kind::Nothing)
    found = hit_stretch(frame, x, Item::Kind::Sleep, &Model::sleeps);
  if (found.kind == Item::Kind::Nothing) found = hit_lane(frame, x, y, false);
  return found;
}

}  // namespace skein
