// The bars of tasks and their activations.
#pragma once

#include "view/draw/frame.h"
#include "view/draw/painter.h"

namespace skein {

// Drawn behind the highlighted bars and behind the lines that lead to them.
void draw_highlights(const Frame& frame, Painter& painter);
void draw_bars(const Frame& frame, Painter& painter);

}  // namespace skein
