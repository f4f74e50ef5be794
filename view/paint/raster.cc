// Paints shapes as pixels. Cairo's image backend needs 13 us for an anti-aliased diagonal of 300
// pixels; this needs 1.2 to 2.3 (bench_paint). It computes the coverage of pixels once per column,
// not per sub-pixel, which looks the same for lines and rectangles.
#include <algorithm>
#include <array>
#include <cmath>

#include "view/paint/geometry.h"
#include "view/paint/paint.h"

namespace skein {

namespace {

constexpr int64_t one = 65536;  // in fixed-point coordinates

// Mixes a colour with a pixel below. `strength` is 0 to 256.
class Mix {
 public:
  Mix(uint32_t colour, uint32_t strength)
      : colour_(colour),
        rest_(256 - strength),
        red_blue_((colour & 0xff00ff) * strength),
        green_((colour & 0x00ff00) * strength) {}

  uint32_t operator()(uint32_t under) const {
    const uint32_t red_blue = (((under & 0xff00ff) * rest_ + red_blue_) >> 8) & 0xff00ff;
    const uint32_t green = (((under & 0x00ff00) * rest_ + green_) >> 8) & 0x00ff00;
    return 0xff000000 | red_blue | green;
  }

  // Mixes with each pixel of a range.
  void over(uint32_t* from, uint32_t* to) const {
    if (rest_ == 0) {
      std::fill(from, to, colour_);
      return;
    }
    for (; from < to; ++from) *from = (*this)(*from);
  }

 private:
  uint32_t colour_;
  uint32_t rest_;
  uint32_t red_blue_;
  uint32_t green_;
};

class Canvas {
 public:
  Canvas(uint32_t width, uint32_t height, std::span<uint32_t> pixels)
      : width_(width), height_(height), pixels_(pixels.data()) {}

  void fill(double x, double y, double end_x, double end_y, uint32_t colour, uint32_t strength) {
    x = std::max(x, 0.0);
    y = std::max(y, 0.0);
    end_x = std::min(end_x, static_cast<double>(width_));
    end_y = std::min(end_y, static_cast<double>(height_));
    if (!(x < end_x && y < end_y)) return;  // empty, or NaN
    const Range columns(x, end_x);
    const Range rows(y, end_y);
    const uint32_t first = strength * rows.first_cover >> 8;
    const uint32_t last = strength * rows.last_cover >> 8;
    part(columns, rows.first, rows.first + 1, colour, first);
    part(columns, rows.first + 1, rows.last, colour, strength);
    if (rows.last > rows.first) part(columns, rows.last, rows.last + 1, colour, last);
  }

  void line(Point a, Point b, double width, uint32_t colour, uint32_t strength) {
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const double half = width / 2;
    if (dx == 0 && dy == 0) return;
    if (dx == 0)
      fill(a.x - half, std::min(a.y, b.y), a.x + half, std::max(a.y, b.y), colour, strength);
    else if (dy == 0)
      fill(std::min(a.x, b.x), a.y - half, std::max(a.x, b.x), a.y + half, colour, strength);
    else if (std::abs(dx) >= std::abs(dy))
      slanted<false>(a.x, a.y, b.x, b.y, width, colour, strength);
    else
      slanted<true>(a.y, a.x, b.y, b.x, width, colour, strength);
  }

  // The coverage of a pixel follows from the distance of its middle to each edge.
  void triangle(const std::array<Point, 3>& corner, uint32_t colour, uint32_t strength) {
    const auto [left, right] = std::minmax({corner[0].x, corner[1].x, corner[2].x});
    const auto [top, bottom] = std::minmax({corner[0].y, corner[1].y, corner[2].y});
    const int64_t first_x = std::max<int64_t>(0, bounded(std::floor(left)));
    const int64_t last_x = std::min<int64_t>(int64_t{width_} - 1, bounded(right));
    const int64_t first_y = std::max<int64_t>(0, bounded(std::floor(top)));
    const int64_t last_y = std::min<int64_t>(int64_t{height_} - 1, bounded(bottom));
    struct Edge {
      double nx, ny, offset;
    };
    std::array<Edge, 3> edges{};
    for (size_t i = 0; i < 3; i++) {
      const Point& from = corner[i];
      const Point& to = corner[(i + 1) % 3];
      const Point& inside = corner[(i + 2) % 3];
      const double x_side = to.x - from.x;
      const double y_side = to.y - from.y;
      const double length = std::sqrt(x_side * x_side + y_side * y_side);
      if (!(length > 0)) return;
      Edge edge{(from.y - to.y) / length, (to.x - from.x) / length, 0};
      edge.offset = -(edge.nx * from.x + edge.ny * from.y);
      if (edge.nx * inside.x + edge.ny * inside.y + edge.offset < 0)
        edge = {-edge.nx, -edge.ny, -edge.offset};
      edges[i] = edge;
    }
    for (int64_t y = first_y; y <= last_y; y++)
      for (int64_t x = first_x; x <= last_x; x++) {
        double covered = 1;
        for (const Edge& edge : edges)
          covered *= std::clamp(edge.nx * (static_cast<double>(x) + 0.5) +
                                    edge.ny * (static_cast<double>(y) + 0.5) + edge.offset + 0.5,
                                0.0, 1.0);
        dot(at(x, y), colour, static_cast<uint32_t>(covered * strength + 0.5));
      }
  }

 private:
  // The pixels that an interval covers; the first and last may be partial. 256 is full coverage.
  struct Range {
    Range(double from, double to) {
      const auto begin = static_cast<uint32_t>(from * 256 + 0.5);
      const auto end = std::max(begin + 1, static_cast<uint32_t>(to * 256 + 0.5));
      first = begin >> 8;
      last = (end - 1) >> 8;
      first_cover = first == last ? end - begin : 256 - (begin & 255);
      last_cover = end - (last << 8);
    }
    uint32_t cover(uint32_t at) const {
      return at == first ? first_cover : at == last ? last_cover : 256;
    }
    uint32_t first, last, first_cover, last_cover;
  };

  // Fills rows with equal coverage.
  void part(const Range& columns, uint32_t row, uint32_t end_row, uint32_t colour,
            uint32_t strength) {
    const Mix left(colour, strength * columns.first_cover >> 8);
    uint32_t* line = pixels_ + size_t{row} * width_;
    if (columns.first == columns.last) {  // the common case: arrows
      line += columns.first;
      for (; row < end_row; row++, line += width_) *line = left(*line);
      return;
    }
    const Mix middle(colour, strength);
    const Mix right(colour, strength * columns.last_cover >> 8);
    for (; row < end_row; row++, line += width_) {
      line[columns.first] = left(line[columns.first]);
      middle.over(line + columns.first + 1, line + columns.last);
      line[columns.last] = right(line[columns.last]);
    }
  }

  static int64_t bounded(double value) {
    return static_cast<int64_t>(std::clamp(value, -1e6, 1e6));
  }

  uint32_t& at(int64_t x, int64_t y) { return pixels_[y * int64_t{width_} + x]; }

  static void dot(uint32_t& pixel, uint32_t colour, uint32_t strength) {
    pixel = Mix(colour, strength)(pixel);
  }

  // Steps along the longer axis, `m`; in each pixel the line covers an interval of the other axis,
  // `n`. Not inlined, so that browsers optimise it separately where it is hot.
  template <bool Steep>
  [[gnu::noinline]] void slanted(double m, double n, double end_m, double end_n, double width,
                                 uint32_t colour, uint32_t strength) {
    if (m > end_m) {
      std::swap(m, end_m);
      std::swap(n, end_n);
    }
    const double slope = (end_n - n) / (end_m - m);
    const double half = width / 2 * std::sqrt(1 + slope * slope);
    const auto limit_m = static_cast<double>(Steep ? height_ : width_);
    const auto limit_n = static_cast<double>(Steep ? width_ : height_);
    // Clips along m, then to where n is in the picture.
    double from = std::max(m, 0.0);
    double to = std::min(end_m, limit_m);
    const double enter = m + ((slope > 0 ? -half : limit_n + half) - n) / slope;
    const double leave = m + ((slope > 0 ? limit_n + half : -half) - n) / slope;
    from = std::max(from, enter - 1);
    to = std::min(to, leave + 1);
    if (!(from < to)) return;

    const Range range(from, to);
    const auto fixed = [](double value) { return static_cast<int64_t>(std::floor(value * one)); };
    const int64_t step = fixed(slope);
    const int64_t wide = std::max<int64_t>(1, fixed(2 * half));
    int64_t low = fixed(n + slope * (range.first + 0.5 - m) - half);
    const auto end_of_n = static_cast<int64_t>(limit_n);
    for (uint32_t i = range.first; i <= range.last; i++, low += step) {
      const uint32_t covered = strength * range.cover(i) >> 8;
      const int64_t high = low + wide;
      const int64_t first = low >> 16;
      const int64_t last = (high - 1) >> 16;
      const auto paint = [&](int64_t j, int64_t share) {
        if (j < 0 || j >= end_of_n) return;
        dot(Steep ? at(j, i) : at(i, j), colour,
            static_cast<uint32_t>(covered * static_cast<uint32_t>(share) >> 16));
      };
      if (first == last) {
        paint(first, wide);
        continue;
      }
      paint(first, one - (low & (one - 1)));
      for (int64_t j = std::max<int64_t>(first + 1, 0); j < std::min(last, end_of_n); j++)
        paint(j, one);
      paint(last, high - (last << 16));
    }
  }

  uint32_t width_;
  uint32_t height_;
  uint32_t* pixels_;
};

}  // namespace

void paint_pixels(const DrawList& list, const Theme& theme, PixelOrder order, float scale,
                  uint32_t width, uint32_t height, std::span<uint32_t> pixels) {
  paint_pixels(list, 0, list.primitives.size(), theme, order, scale, width, height, pixels);
}

void paint_pixels(const DrawList& list, size_t first, size_t last, const Theme& theme,
                  PixelOrder order, float scale, uint32_t width, uint32_t height,
                  std::span<uint32_t> pixels) {
  // 2^23 pixels is the limit of 32 bits with 1/256 of a pixel.
  if (width == 0 || height == 0 || width >= 1u << 23 || height >= 1u << 23) return;
  if (pixels.size() / width < height) return;
  std::array<uint32_t, inks> colours{};
  for (size_t i = 0; i < inks; i++) {
    const Colour c = theme.colours[i];
    const uint32_t low = order == PixelOrder::Bgra ? c.blue : c.red;
    const uint32_t high = order == PixelOrder::Bgra ? c.red : c.blue;
    colours[i] = 0xff000000 | high << 16 | uint32_t{c.green} << 8 | low;
  }
  const double s = scale;
  Canvas canvas(width, height, pixels);
  for (size_t i = first; i < std::min(last, list.primitives.size()); i++) {
    const Primitive& p = list.primitives[i];
    const uint32_t colour = colours[static_cast<size_t>(p.ink)];
    const uint32_t strength = p.alpha + (p.alpha >> 7);
    switch (p.shape) {
      case Shape::Fill:
        canvas.fill(p.x * s, p.y * s, (p.x + p.w) * s, (p.y + p.h) * s, colour, strength);
        break;
      case Shape::Line:
      case Shape::Arrow:
        if (const std::optional<Stroke> stroke = find_stroke(p, s)) {
          canvas.line(stroke->from, stroke->to, stroke->width, colour, strength);
          if (stroke->has_head) canvas.triangle(stroke->head, colour, strength);
        }
        break;
      case Shape::Text:
        break;
    }
  }
}

}  // namespace skein
