#include "view/draw/painter.h"

#include <algorithm>

namespace skein {

namespace {

// Rounds to a quarter of a pixel: finer steps are invisible, and the numbers have shorter texts.
float quarter(double value) {
  const double scaled = value * 4 + 0.5;
  const auto whole = static_cast<int64_t>(scaled);
  return static_cast<float>(scaled < static_cast<double>(whole) ? whole - 1 : whole) / 4.0f;
}

}  // namespace

void Painter::add(Shape shape, Ink ink, double x, double y, double w, double h, uint8_t alpha,
                  uint8_t size, uint32_t text) {
  if (full()) return;
  const float left = quarter(x);
  const float top = quarter(y);
  list_.primitives.push_back({left, top, quarter(x + w) - left, quarter(y + h) - top, text, shape,
                              ink, alpha, size, item_});
}

void Painter::fill(Ink ink, double x, double y, double w, double h, uint8_t alpha, uint32_t title) {
  constexpr double margin = 4;
  const double right = std::min<double>(x + w, list_.width + margin);
  const double bottom = std::min<double>(y + h, list_.height + margin);
  x = std::max(x, -margin);
  y = std::max(y, -margin);
  if (!(right > x && bottom > y)) return;
  add(Shape::Fill, ink, x, y, right - x, bottom - y, alpha, 1, title);
}

void Painter::line(Ink ink, double x, double y, double to_x, double to_y, uint8_t alpha) {
  add(Shape::Line, ink, x, y, to_x - x, to_y - y, alpha, 1, 0);
}

void Painter::arrow(Ink ink, double x, double y, double to_x, double to_y, uint8_t alpha) {
  add(Shape::Arrow, ink, x, y, to_x - x, to_y - y, alpha, 1, 0);
}

void Painter::text(Ink ink, double x, double baseline, uint8_t size, std::string_view text,
                   double within) {
  if (text.empty() || full()) return;
  add(Shape::Text, ink, x, baseline, within, 0, 255, size, title(text));
}

uint32_t Painter::title(std::string_view text) {
  if (text.empty() || list_.texts.size() > UINT32_MAX / 2) return 0;
  const auto offset = static_cast<uint32_t>(list_.texts.size());
  list_.texts.append(text);
  list_.texts += '\0';
  return offset;
}

}  // namespace skein
