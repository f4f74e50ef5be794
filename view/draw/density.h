// Rows thinner than two pixels: how much of each pixel is covered by bars, and how much of that by
// running tasks.
#pragma once

#include "view/draw/frame.h"
#include "view/draw/painter.h"

namespace skein {

void draw_density(const Frame& frame, Painter& painter, size_t most_bars, size_t most_activations);

}  // namespace skein
