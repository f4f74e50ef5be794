#include "view/draw/areas.h"

#include <algorithm>

namespace skein {

std::vector<CounterStrip> counter_strips(std::span<const Track> tracks, const Marks& marks) {
  std::vector<CounterStrip> strips;
  for (uint32_t t = 0; t < tracks.size(); t++) {
    const Model& model = *tracks[t].model;
    std::vector<size_t> strip_of;  // by scale; 0: none yet, else an index plus 1
    for (uint32_t c = 0; c < model.counters.size(); c++) {
      if (t < marks.counters.size() && c < marks.counters[t].size() && !marks.counters[t][c])
        continue;
      const uint32_t scale = model.counters[c].scale;
      if (scale >= strip_of.size())
        strip_of.resize(std::max(model.scales.size(), scale + size_t{1}));
      if (strip_of[scale] == 0) {
        strips.push_back({t, scale, {}});
        strip_of[scale] = strips.size();
      }
      strips[strip_of[scale] - 1].counters.push_back(c);
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

}  // namespace skein
