// The layers of the picture besides bars and arrows, each drawn by one function.
#pragma once

#include "view/draw/frame.h"
#include "view/draw/painter.h"

namespace skein {

void draw_stretches(const Frame& frame, Painter& painter);  // sleeps and pauses
void draw_grid(const Frame& frame, Painter& painter);
void draw_bands(const Frame& frame, Painter& painter);
void draw_notes(const Frame& frame, Painter& painter);
void draw_path(const Frame& frame, Painter& painter);
void draw_selection(const Frame& frame, Painter& painter);
void draw_spans(const Frame& frame, Painter& painter);
// Texts of the list from `first_text` on are not written over.
void draw_labels(const Frame& frame, Painter& painter, size_t first_text);
void draw_counters(const Frame& frame, Painter& painter);
void draw_axis(const Frame& frame, Painter& painter);
void draw_marks(const Frame& frame, Painter& painter);  // bookmarks, which rows are in sight
void draw_legend(const Frame& frame, Painter& painter);
void draw_hint(const Frame& frame, Painter& painter);
void draw_notice(const Frame& frame, Painter& painter);  // why there is nothing to be seen

// Readouts: what depends on the pointer.
void draw_counter_values(const Frame& frame, Painter& painter);  // after their names
void draw_measure(const Frame& frame, Painter& painter);
void draw_pointer(const Frame& frame, Painter& painter);

// Texts on a panel, one a line or, where the picture is too narrow, several; centred at (x,
// middle).
void draw_panel(Painter& painter, double x, double middle, std::span<const std::string_view> texts);

}  // namespace skein
