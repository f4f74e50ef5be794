// Where lines and the heads of arrows lie: the same in every painter.
#pragma once

#include <array>
#include <optional>

#include "view/draw/draw_list.h"

namespace skein {

struct Point {
  double x = 0;
  double y = 0;
};

// A Line or an Arrow in device pixels. Without a direction (one point), or with coordinates that
// are no numbers, there is nothing to paint.
struct Stroke {
  Point from;
  Point to;  // of an arrow: where its head begins
  double width = 1;
  bool has_head = false;
  std::array<Point, 3> head{};  // its tip first
};

// Upright and level lines are moved, by less than half a pixel, to where they cover whole pixels.
std::optional<Stroke> find_stroke(const Primitive& primitive, double scale);

}  // namespace skein
