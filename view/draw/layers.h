// The layers of the picture other than bars and arrows; one function draws each.
#pragma once

#include "view/draw/frame.h"
#include "view/draw/painter.h"

namespace skein {

void draw_sleeps_and_pauses(const Frame& frame, Painter& painter);
void draw_grid(const Frame& frame, Painter& painter);
void draw_bands(const Frame& frame, Painter& painter);
void draw_notes(const Frame& frame, Painter& painter);
void draw_path(const Frame& frame, Painter& painter);
void draw_selection(const Frame& frame, Painter& painter);
void draw_unheard(const Frame& frame,
                  Painter& painter);                   // rings at the tasks that notified no other
void draw_ring(Painter& painter, double x, double y);  // centred there
void draw_thread_states(const Frame& frame, Painter& painter);  // in lanes
void draw_samples(const Frame& frame, Painter& painter);        // in lanes
void draw_spans(const Frame& frame, Painter& painter);
// Does not write over the texts of the list from `first_text` on.
void draw_labels(const Frame& frame, Painter& painter, size_t first_text);
void draw_counters(const Frame& frame, Painter& painter);
void draw_axis(const Frame& frame, Painter& painter);
void draw_marks(const Frame& frame, Painter& painter);  // bookmarks, scroll bar
void draw_legend(const Frame& frame, Painter& painter);
void draw_hint(const Frame& frame, Painter& painter);
void draw_notice(const Frame& frame, Painter& painter);  // why nothing is visible

// Readouts: the parts that depend on the pointer.
void draw_counter_values(const Frame& frame, Painter& painter);  // after their names
void draw_measure(const Frame& frame, Painter& painter);
void draw_pointer(const Frame& frame, Painter& painter);

// Draws texts on a panel centred at (x, middle): one per line, or wrapped where the picture is too
// narrow.
void draw_panel(Painter& painter, double x, double middle, std::span<const std::string_view> texts);

}  // namespace skein
