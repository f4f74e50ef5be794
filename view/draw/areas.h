// How axis, rows, counters and legend share the height of the picture.
#pragma once

#include <vector>

#include "view/draw/picture.h"

namespace skein {

// Where what is in the picture; y of their upper edges. The time axis is above the rows; counters
// and the legend are below them and take no more room than they need.
struct Areas {
  float rows = 0;
  float counters = 0;  // the rows end here
  float legend = 0;
};
Areas areas(std::span<const Track> tracks, const Window& window, const Marks& marks);

inline constexpr float axis_height = 37;  // the last pixels keep labels off its line
// What the legend needs; its lines are as wide as the window.
float legend_height(std::span<const Track> tracks, const Window& window);

// Counters of one scale lie in one strip.
struct CounterStrip {
  uint32_t track = 0;
  uint32_t scale = 0;
  std::vector<uint32_t> counters;  // indices into Model::counters
};
std::vector<CounterStrip> counter_strips(std::span<const Track> tracks, const Marks& marks);
// How many of them have room, and how high each is.
struct StripRoom {
  size_t count = 0;
  float height = 0;
};
StripRoom room_for_strips(size_t strips, const Window& window);
inline constexpr float strip_title = 14;  // what of a strip its counters' names take

}  // namespace skein
