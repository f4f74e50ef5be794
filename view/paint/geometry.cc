#include "view/paint/geometry.h"

#include <algorithm>
#include <cmath>

namespace skein {

namespace {

// The middle of a line with this width, moved so that its edges are on whole pixels.
double on_pixels(double middle, double width) {
  return std::floor(middle - width / 2 + 0.5) + width / 2;
}

}  // namespace

std::optional<Stroke> find_stroke(const Primitive& primitive, double scale) {
  const auto x = static_cast<double>(primitive.x);
  const auto y = static_cast<double>(primitive.y);
  const auto w = static_cast<double>(primitive.w);
  const auto h = static_cast<double>(primitive.h);
  const double length = std::sqrt(w * w + h * h) * scale;
  if (!(length > 0) || !std::isfinite(length + x + y)) return {};
  Stroke stroke;
  stroke.width = std::max<double>(primitive.size, 1) * scale;
  stroke.from = {x * scale, y * scale};
  stroke.to = {(x + w) * scale, (y + h) * scale};
  const double whole = std::max(1.0, std::floor(stroke.width + 0.5));
  if (primitive.w == 0) {
    stroke.width = whole;
    stroke.from.x = stroke.to.x = on_pixels(stroke.from.x, whole);
  } else if (primitive.h == 0) {
    stroke.width = whole;
    stroke.from.y = stroke.to.y = on_pixels(stroke.from.y, whole);
  }
  if (primitive.shape != Shape::Arrow) return stroke;

  const double along = std::min(length, 4 * scale + 3 * stroke.width);
  const double across = along * 0.42;
  const Point unit{w * scale / length, h * scale / length};
  const Point tip = stroke.to;
  stroke.has_head = true;
  stroke.to = {tip.x - unit.x * along, tip.y - unit.y * along};
  stroke.head = {tip, Point{stroke.to.x - unit.y * across, stroke.to.y + unit.x * across},
                 Point{stroke.to.x + unit.y * across, stroke.to.y - unit.x * across}};
  return stroke;
}

}  // namespace skein
