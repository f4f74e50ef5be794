// The geometry of lines and arrow heads, the same in every painter.
#pragma once

#include <array>
#include <optional>

#include "view/draw/draw_list.h"

namespace skein {

struct Point {
  double x = 0;
  double y = 0;
};

// A Line or an Arrow in device pixels. There is none without a direction (a single point) or with
// coordinates that are not finite.
struct Stroke {
  Point from;
  Point to;  // where the head begins, if there is one
  double width = 1;
  bool has_head = false;
  std::array<Point, 3> head{};  // tip first
};

// Moves vertical and horizontal lines by less than half a pixel, so that they cover whole pixels.
std::optional<Stroke> find_stroke(const Primitive& primitive, double scale);

}  // namespace skein
