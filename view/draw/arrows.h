// Arrows: which task woke which, and where tasks are created and merge.
#pragma once

#include <functional>

#include "view/draw/frame.h"
#include "view/draw/painter.h"

namespace skein {

void draw_creations(const Frame& frame, Painter& painter);
void draw_arrows(const Frame& frame, Painter& painter);

// An arrow as drawn: from (x, y) along the row of its source to to_x, then to (to_x, to_y). A
// slanted arrow goes straight to its end: another bar in that row is in the way, and the arrow
// would seem to start there.
struct ArrowPath {
  double x = 0;
  double y = 0;
  double to_x = 0;
  double to_y = 0;
  bool slanted = false;
  uint8_t alpha = 255;  // decreases as the arrow grows wider than the window
};
// Returns false if the arrow is not visible.
bool find_path(const Frame& frame, size_t track, const Model::Interaction& arrow, ArrowPath& path);

// Visits the interactions of a track that may be in the window: calls block(index into
// Rows::arrow_blocks, x) for each block whose arrows all fall into one pixel, and visit(index) for
// each other interaction.
void each_arrow(const Frame& frame, size_t track, const std::function<void(uint32_t)>& visit,
                const std::function<void(size_t, double)>& block);

// Returns the width from which slanted arrows are not drawn: too many would bury everything else,
// and each costs 2 us. Reorders `widths`.
double widest_slanted(std::vector<double>& widths);

Ink ink_of(Model::Link link);

}  // namespace skein
