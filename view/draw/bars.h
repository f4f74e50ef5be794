// The bars of tasks, and where they run.
#pragma once

#include "view/draw/frame.h"
#include "view/draw/painter.h"

namespace skein {

// Behind what is marked, and behind the lines that go there.
void draw_highlights(const Frame& frame, Painter& painter);
void draw_bars(const Frame& frame, Painter& painter);

}  // namespace skein
