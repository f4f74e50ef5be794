#include "view/draw/frame.h"

namespace skein {

Window sound(Window window) {
  const auto finite = [](double value) { return value - value == 0; };
  const auto bounded = [&](double value, double least, double most, double otherwise) {
    return finite(value) ? std::clamp(value, least, most) : otherwise;
  };
  const auto size = [&](float value) {
    return static_cast<float>(bounded(static_cast<double>(value), 1, 32'768, 1));
  };
  window.width = size(window.width);
  window.height = size(window.height);
  window.from = bounded(window.from, -4e18, 4e18, 0);
  window.to = bounded(window.to, -4e18, 4e18, 0);
  // A thousandth of a nanosecond is wide enough for anybody; late in time, so is what doubles can
  // tell apart.
  if (!(window.to - window.from >= 1e-3))
    window.to = window.from + std::max(1.0, window.from / 1e12);
  window.top = bounded(window.top, -1e10, 1e10, 0);
  window.row_height = bounded(window.row_height, 1e-6, 1000, 26);
  return window;
}

double total_rows(std::span<const Track> tracks) {
  double rows = 0;
  for (const Track& track : tracks) rows += track.rows->count + (tracks.size() > 1 ? 1 : 0);
  return rows;
}

std::vector<CounterStrip> counter_strips(std::span<const Track> tracks, const Marks& marks) {
  std::vector<CounterStrip> strips;
  for (uint32_t t = 0; t < tracks.size(); t++) {
    const Model& model = *tracks[t].model;
    const size_t first = strips.size();
    for (uint32_t c = 0; c < model.counters.size(); c++) {
      if (t < marks.counters.size() && c < marks.counters[t].size() && !marks.counters[t][c])
        continue;
      const uint32_t scale = model.counters[c].scale;
      auto at = std::find_if(strips.begin() + static_cast<ptrdiff_t>(first), strips.end(),
                             [&](const CounterStrip& strip) { return strip.scale == scale; });
      if (at == strips.end()) at = strips.insert(at, {t, scale, {}});
      at->counters.push_back(c);
    }
  }
  return strips;
}

StripRoom room_for_strips(size_t strips, const Window& window) {
  constexpr float least = 30;
  constexpr float most = 40;
  const float room = std::max(0.0f, window.height - axis_height) * 0.3f;
  const auto fitting = static_cast<size_t>(room / least);
  const size_t count = std::min(strips, fitting);
  if (count == 0) return {};
  const float height = std::min(most, room / static_cast<float>(count));
  return {count, static_cast<float>(static_cast<int>(height))};
}

Areas areas(std::span<const Track> tracks, const Window& window, const Marks& marks) {
  Areas areas;
  areas.rows = std::min(axis_height, window.height);
  areas.legend = window.height;
  if (marks.legend)
    areas.legend = std::max(areas.rows, window.height - legend_height(tracks, window));
  const StripRoom room = room_for_strips(counter_strips(tracks, marks).size(), window);
  areas.counters =
      std::max(areas.rows, areas.legend - static_cast<float>(room.count) * room.height);
  return areas;
}

Frame::Frame(std::span<const Track> all, const Window& of, const Marks& with)
    : tracks(all), window(of), marks(with), areas(skein::areas(all, of, with)) {
  per_ns = window.width / (window.to - window.from);
  row_height = window.row_height;
  double row = 0;
  for (const Track& track : tracks) {
    if (tracks.size() > 1) row += 1;
    first_row.push_back(row);
    row += track.rows->count;
  }
  if (static_cast<double>(marks.lines.size()) == row + 1) lines = marks.lines;
  top_line = line_of(lines, window.top);
  const double h = row_height;
  has_labels = h >= 9.5;
  has_kinds = h >= 24;
  if (has_labels) {
    label_size = static_cast<uint8_t>(h >= 30   ? 12
                                      : h >= 26 ? 11
                                      : h >= 24 ? 10
                                      : h >= 22 ? 11
                                      : h >= 11 ? 9
                                                : 8);
    kind_size = h >= 11 ? 9 : 8;
    bar_height = h >= 30   ? 7
                 : h >= 26 ? 6
                 : h >= 24 ? 5
                 : h >= 22 ? 6
                 : h >= 16 ? 5
                 : h >= 11 ? 4
                           : 3;
    bar_top = has_kinds ? label_size + 1.0 : static_cast<double>(static_cast<int>(h - bar_height));
  } else {
    const double gap = h >= 6 ? 2 : h >= 3 ? 1 : 0;
    bar_height = std::min(6.0, h >= 4 ? static_cast<double>(static_cast<int>(h - gap)) : h - gap);
    bar_top = static_cast<double>(static_cast<int>((h - bar_height) / 2));
    label_size = 9;
  }
}

Frame::Range Frame::visible_rows(size_t track) const {
  const double count = tracks[track].rows->count;
  const double height = areas.counters - areas.rows;
  const double first = row_in(lines, top_line) - first_row[track];
  const double last = row_in(lines, top_line + height / row_height) + 1 - first_row[track];
  const auto bounded = [&](double row) {
    return static_cast<uint32_t>(std::clamp(row, 0.0, count));
  };
  return {bounded(first), bounded(last)};
}

}  // namespace skein
