// Draws one window onto one or more traces into a draw list. This is the picture of docs/model.md:
// bars, activations, arrows, sleeps and pauses in the background, counters, time axis, labels that
// do not overlap.
//
//   DrawList list;
//   draw(tracks, window, marks, list);
//
// The level of detail is per pixel: bars thinner than a pixel are merged into density, never
// dropped at random. Labels and arrows are dropped where there is no room for them. Cost: O(pixels
// log n) where rows are at least 2 pixels high, O(visible items) where they are thinner.
// At most 50,000 primitives. The same input gives the same list on every machine.
#pragma once

#include "view/draw/draw_list.h"
#include "view/draw/picture.h"

namespace skein {

void draw(std::span<const Track> tracks, const Window& window, const Marks& marks, DrawList& list);
// draw() in two parts, to be painted one over the other: draw_scene() draws what does not depend on
// the pointer, draw_readouts() what does (its line and time, values of counters, the measured
// range). The cost of draw_readouts() is proportional to its output and independent of the trace.
void draw_scene(std::span<const Track> tracks, const Window& window, const Marks& marks,
                DrawList& list);
void draw_readouts(std::span<const Track> tracks, const Window& window, const Marks& marks,
                   DrawList& list);

}  // namespace skein
