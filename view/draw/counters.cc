#include <cmath>

#include "base/text.h"
#include "view/draw/floor_to.h"
#include "view/draw/layers.h"
#include "view/draw/text.h"

namespace skein {

namespace {

constexpr size_t most_steps = 9'000;  // rectangles, for all counters

Ink ink_of_counter(size_t index) {
  return static_cast<Ink>(static_cast<size_t>(Ink::Counter0) + index % 8);
}

// The value at a time. Returns false before the first point.
bool value_at(const Model::Counter& counter, double time, int64_t& value) {
  const auto after = std::partition_point(
      counter.points.begin(), counter.points.end(),
      [&](const Model::Counter::Point& point) { return static_cast<double>(point.time) <= time; });
  if (after == counter.points.begin()) return false;
  value = (after - 1)->value;
  return true;
}

class Strip {
 public:
  Strip(const Frame& frame, const Track& track, const Model::Scale& scale, double top,
        double height)
      : frame_(frame),
        track_(track),
        scale_(scale),
        top_(top + strip_title),
        height_(height - strip_title - 4) {}

  double y(int64_t value) const {
    const double low = static_cast<double>(scale_.low);
    const double range = static_cast<double>(scale_.high) - low;
    const double share = range > 0 ? (static_cast<double>(value) - low) / range : 0.5;
    return top_ + height_ * (1 - std::clamp(share, 0.0, 1.0));
  }

  double top() const { return top_; }
  double bottom() const { return top_ + height_; }

  // Draws the steps. Steps within a cell are merged into one from the lowest to the highest value.
  void draw(const Model::Counter& counter, Ink ink, double cell, Painter& painter) const {
    const std::vector<Model::Counter::Point>& points = counter.points;
    const double from = frame_.window.from - track_.offset;
    auto at = std::partition_point(
        points.begin(), points.end(),
        [&](const Model::Counter::Point& point) { return static_cast<double>(point.time) < from; });
    if (at != points.begin()) --at;
    double line_x = 0;   // from here on the value is `line_y`
    double line_y = -1;  // -1: no value yet
    const auto level = [&](double end) {
      if (line_y >= 0 && end > line_x) painter.fill(ink, line_x, line_y, end - line_x, 1.5);
    };
    while (at != points.end()) {
      const double x = frame_.x(track_, at->time);
      if (x > frame_.window.width) break;
      // Compares times, not pixels: there may be a million points.
      const uint64_t end = time_of(x + cell);
      int64_t least = at->value;
      int64_t most = at->value;
      for (++at; at != points.end() && at->time < end; ++at) {
        least = std::min(least, at->value);
        most = std::max(most, at->value);
      }
      double low = y(least);
      double high = y(most);
      if (line_y >= 0) {
        low = std::max(low, line_y);
        high = std::min(high, line_y);
      }
      const double last = y((at - 1)->value);
      level(x);
      if (x >= 0 && low > high) painter.fill(ink, x, high, std::max(1.0, cell), low - high + 1.5);
      line_x = std::max(x, 0.0);
      line_y = last;
    }
    const double end =
        std::max(frame_.x(track_, track_.model->end), line_x + 1);  // or it would be invisible
    level(std::min<double>(frame_.window.width, end));
  }

 private:
  // The first time of the trace that is drawn at x or right of it.
  uint64_t time_of(double x) const {
    const double time = std::ceil(frame_.time_at(x) - track_.offset);
    return time >= 1e19 ? UINT64_MAX : static_cast<uint64_t>(std::max(time, 0.0));
  }

  const Frame& frame_;
  const Track& track_;
  const Model::Scale& scale_;
  double top_;
  double height_;
};

// The texts at the ends of a strip's axis.
struct AxisTexts {
  explicit AxisTexts(const Model::Scale& scale)
      : AxisTexts(scale, count_text(scale.high), count_text(scale.low)) {}
  // Large numbers that differ by little are shown with all digits.
  AxisTexts(const Model::Scale& scale, const std::string& a, const std::string& b)
      : high((scale.high < 0 ? "to " : "") + (a == b ? std::to_string(scale.high) : a)),
        low((scale.low > 0 ? "from " : "") + (a == b ? std::to_string(scale.low) : b)),  // not at 0
        width(std::max(text_width(high, 9), text_width(low, 9))) {}
  std::string high;
  std::string low;
  double width;
};

// Extends the scale by at most a fifth at each end, to 1, 2 or 5 times a power of ten.
Model::Scale rounded(const Model::Scale& exact) {
  constexpr int64_t limit = int64_t{1} << 60;
  if (exact.low < -limit || exact.high > limit) return exact;
  int64_t step = 1;
  const int64_t least = (exact.high - exact.low) / 12;
  for (int i = 0; step < least; i++) step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return {floor_to(exact.low, step), -floor_to(-exact.high, step)};
}

// Draws the name and value of each counter of a strip, from left to right.
void name_counters(const Frame& frame, const Track& track, const CounterStrip& strip,
                   size_t first_ink, double top, Painter& painter) {
  constexpr double axis = 60;
  const double end = frame.window.width - axis;
  const bool pointed = frame.marks.pointer_x >= 0 && frame.marks.pointer_x <= frame.window.width;
  const double time = pointed ? frame.time_at(frame.marks.pointer_x) - track.offset
                              : frame.window.to - track.offset;
  double x = 6;
  for (size_t i = 0; i < strip.counters.size(); i++) {
    const Model::Counter& counter = track.model->counters[strip.counters[i]];
    std::string text = safe_text(track.trace->strings[counter.name], 60);
    if (frame.tracks.size() > 1 && i == 0) text = safe_text(track.title, 30) + ": " + text;
    int64_t value = 0;
    if (value_at(counter, time, value)) (text += "  ") += std::to_string(value);
    text = fit_text(text, 10, static_cast<float>(end - x));
    if (text.empty()) return;
    const double width = text_width(text, 10);
    painter.text(ink_of_counter(first_ink + i), x, top + 11, 10, text);
    x += width + 16;
  }
}

}  // namespace

Model::Scale scale_in_sight(const Frame& frame, const CounterStrip& strip) {
  const Track& track = frame.tracks[strip.track];
  Model::Scale whole;
  if (strip.scale < track.rows->scales.size()) whole = track.rows->scales[strip.scale];
  const double from = frame.window.from - track.offset;
  const double to = frame.window.to - track.offset;
  if (from <= 0 && to >= static_cast<double>(track.model->end)) return whole;
  int64_t low = INT64_MAX;
  int64_t high = INT64_MIN;
  for (const uint32_t index : strip.counters) {
    const std::vector<Model::Counter::Point>& points = track.model->counters[index].points;
    auto at = std::partition_point(
        points.begin(), points.end(),
        [&](const Model::Counter::Point& p) { return static_cast<double>(p.time) <= from; });
    if (at != points.begin()) --at;
    for (; at != points.end() && static_cast<double>(at->time) <= to; ++at) {
      low = std::min(low, at->value);
      high = std::max(high, at->value);
    }
  }
  if (low >= high) return whole;
  // Includes 0 unless it is far away.
  const double range = static_cast<double>(high) - static_cast<double>(low);
  if (low > 0 && range >= static_cast<double>(low)) low = 0;
  if (high < 0 && range >= -static_cast<double>(high)) high = 0;
  return rounded({low, high});
}

void draw_counters(const Frame& frame, Painter& painter) {
  const std::vector<CounterStrip> strips = counter_strips(frame.tracks, frame.marks);
  const StripRoom room = room_for_strips(strips.size(), frame.window);
  if (room.count == 0) return;
  painter.allow(1'000);
  painter.fill(Ink::Background, 0, frame.areas.counters, frame.window.width,
               frame.areas.legend - frame.areas.counters);
  double top = frame.areas.counters;
  size_t ink = frame.marks.first_counter_ink;
  size_t shown = 0;
  for (size_t s = 0; s < room.count; s++) shown += strips[s].counters.size();
  for (size_t s = 0; s < room.count; s++, top += room.height) {
    const CounterStrip& strip = strips[s];
    const Track& track = frame.tracks[strip.track];
    const Model::Scale scale = scale_in_sight(frame, strip);
    const Strip line(frame, track, scale, top, room.height);
    painter.allow(1'000);
    painter.fill(Ink::Band, 0, top, frame.window.width, 1, 110);
    if (scale.low < 0 && scale.high > 0)
      painter.fill(Ink::Grid, 0, line.y(0), frame.window.width, 1);
    for (size_t i = 0; i < strip.counters.size(); i++) {
      // Coarsens the cells until the counter's share of primitives is enough.
      const size_t before = painter.size();
      for (double cell = 1;; cell *= 2) {
        painter.allow(std::max<size_t>(200, most_steps / shown));
        painter.show({Item::Kind::Counter, strip.track, strip.counters[i]});
        line.draw(track.model->counters[strip.counters[i]], ink_of_counter(ink + i), cell, painter);
        painter.show_nothing();
        if (!painter.full() || cell > 64) break;
        painter.list().primitives.resize(before);
      }
    }
    painter.allow(1'000);
    const AxisTexts axis(scale);
    const double x = frame.window.width - 6 - axis.width;
    // The newest values are behind the axis and stay visible.
    painter.fill(Ink::Background, x - 5, top + 1, axis.width + 11, room.height - 1, 150);
    painter.fill(Ink::Axis, x - 5, line.top(), 1, line.bottom() - line.top() + 1.5);
    const auto number = [&](double baseline, const std::string& text) {
      painter.fill(Ink::Background, x - 1, baseline - 7.5, axis.width + 2, 9, 225);
      painter.text(Ink::Axis, x, baseline, 9, text);
    };
    if (scale.low < scale.high) number(line.top() + 4, axis.high);
    number(scale.low < scale.high ? line.bottom() + 3 : line.y(scale.low) + 4, axis.low);
    ink += strip.counters.size();
  }
  if (room.count < strips.size()) {
    const std::string more = "+ " + counted(strips.size() - room.count, "more counter");
    const double width = text_width(more, 9);
    painter.fill(Ink::Panel, frame.window.width / 2 - width / 2 - 4, frame.areas.legend - 13,
                 width + 8, 13);
    painter.text(Ink::PanelText, frame.window.width / 2 - width / 2, frame.areas.legend - 3, 9,
                 more);
  }
}

void draw_counter_values(const Frame& frame, Painter& painter) {
  const std::vector<CounterStrip> strips = counter_strips(frame.tracks, frame.marks);
  const StripRoom room = room_for_strips(strips.size(), frame.window);
  painter.allow(2'000);
  size_t ink = frame.marks.first_counter_ink;
  for (size_t s = 0; s < room.count; s++) {
    const double top = frame.areas.counters + static_cast<double>(s) * room.height;
    name_counters(frame, frame.tracks[strips[s].track], strips[s], ink, top, painter);
    ink += strips[s].counters.size();
  }
}

}  // namespace skein
