// Who woke whom, and where tasks are created and merge.
#pragma once

#include <functional>

#include "view/draw/frame.h"
#include "view/draw/painter.h"

namespace skein {

void draw_creations(const Frame& frame, Painter& painter);
void draw_arrows(const Frame& frame, Painter& painter);

// An arrow as it is drawn: from (x, y) along the row of its source to to_x, then to (to_x, to_y).
// Where another bar lies in that row on the way, it would seem to be that one's: then straight to
// its end.
struct ArrowPath {
  double x = 0;
  double y = 0;
  double to_x = 0;
  double to_y = 0;
  bool slanted = false;
  uint8_t alpha = 255;  // it fades as it grows wider than the window
};
// False: it is not to be seen.
bool find_path(const Frame& frame, size_t track, const Model::Interaction& arrow, ArrowPath& path);

// The interactions of a track that may be in the window: calls visit(index) for each, and
// block(index into Rows::arrow_blocks, x) for those whose arrows all are in one pixel.
void each_arrow(const Frame& frame, size_t track, const std::function<void(uint32_t)>& visit,
                const std::function<void(size_t, double)>& block);

// Of slanted arrows of these widths no wider ones than that are drawn, or they would bury all else
// (and each costs 2 us). Reorders them.
double widest_slanted(std::vector<double>& widths);

Ink ink_of(Model::Link link);

}  // namespace skein
