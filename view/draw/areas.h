// How the axis, rows, counters and legend share the height of the picture.
#pragma once

#include <vector>

#include "view/draw/picture.h"

namespace skein {

// The upper edges (y) of the parts of the picture. The time axis is above the rows. Counters and
// the legend are below them and take only the height they need.
struct Areas {
  float rows = 0;
  float counters = 0;  // the rows end here
  float legend = 0;
};
Areas areas(std::span<const Track> tracks, const Window& window, const Marks& marks);

inline constexpr float axis_height = 37;  // the last pixels keep labels off its line
// The height of the legend; its lines are as wide as the window.
float legend_height(std::span<const Track> tracks, const Window& window);

// Counters with the same scale share a strip.
struct CounterStrip {
  uint32_t track = 0;
  uint32_t scale = 0;
  std::vector<uint32_t> counters;  // indices into Model::counters
};
std::vector<CounterStrip> counter_strips(std::span<const Track> tracks, const Marks& marks);
// How many strips fit, and the height of each.
struct StripRoom {
  size_t count = 0;
  float height = 0;
};
StripRoom room_for_strips(size_t strips, const Window& window);
inline constexpr float strip_title = 14;  // the part of a strip that holds its counters' names

}  // namespace skein
