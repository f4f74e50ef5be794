// One window onto one or more traces -> a draw list. The picture of docs/model.md: bars, where they
// run, who woke whom, sleeps and pauses behind, counters, time axis, labels that do not overlap.
//
//   DrawList list;
//   draw(tracks, window, marks, list);
//
// Level of detail is per pixel: what is thinner than a pixel is merged into density, never dropped
// at random; labels and arrows give way when there is no room for them. Cost: what is visible,
// O(pixels log n) where rows are at least 2 pixels high, O(visible items) where they are thinner.
// At most 50,000 primitives. The same input gives the same list on every machine.
#pragma once

#include "view/draw/draw_list.h"
#include "view/draw/picture.h"

namespace skein {

void draw(std::span<const Track> tracks, const Window& window, const Marks& marks, DrawList& list);
// The same in two lists, the second to be painted over the first: what does not depend on the
// pointer, and what does (its line and time, values of counters, the measured range). The second
// costs what is in it, whatever the trace.
void draw_scene(std::span<const Track> tracks, const Window& window, const Marks& marks,
                DrawList& list);
void draw_readouts(std::span<const Track> tracks, const Window& window, const Marks& marks,
                   DrawList& list);

}  // namespace skein
