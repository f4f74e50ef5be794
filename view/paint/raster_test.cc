#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "view/paint/paint.h"

using namespace skein;

namespace {

// One ink is black, the background white: a pixel's value is its darkness.
Theme black_on_white() {
  Theme theme{"test", {}};
  theme.colours[static_cast<size_t>(Ink::Background)] = {255, 255, 255};
  return theme;
}

Primitive shape(Shape shape, float x, float y, float w, float h, uint8_t alpha = 255,
                uint8_t size = 1) {
  return {x, y, w, h, 0, shape, Ink::Bar, alpha, size};
}

// The canvas as characters: a blank is white, . - + are partial, # is black; with a frame.
std::string painted(uint32_t width, uint32_t height, const std::vector<Primitive>& primitives,
                    float scale = 1) {
  DrawList list;
  list.primitives = primitives;
  std::vector<uint32_t> pixels(size_t{width} * height, 0xffffffff);
  paint_pixels(list, black_on_white(), PixelOrder::Bgra, scale, width, height, pixels);
  std::string out = "\n";
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t pixel = pixels[y * width + x];
      CHECK((pixel >> 24) == 255);
      const uint32_t dark = 255 - (pixel & 255);
      out += dark < 8 ? ' ' : dark < 90 ? '.' : dark < 160 ? '-' : dark < 230 ? '+' : '#';
    }
    out += "|\n";
  }
  return out;
}

}  // namespace

TEST_CASE("a fill covers its pixels, and those at its edges partially") {
  CHECK(painted(6, 4, {shape(Shape::Fill, 1, 1, 3, 2)}) == R"(
      |
 ###  |
 ###  |
      |
)");
  CHECK(painted(6, 4, {shape(Shape::Fill, 1.5f, 0.75f, 3, 2)}) == R"(
 .... |
 -##- |
 -++- |
      |
)");
}

TEST_CASE("a fill thinner than a pixel is a fainter pixel") {
  CHECK(painted(3, 1, {shape(Shape::Fill, 1.25f, 0, 0.5f, 1)}) == "\n - |\n");
  CHECK(painted(3, 1, {shape(Shape::Fill, 1.25f, 0, 0.25f, 1)}) == "\n . |\n");
}

TEST_CASE("alpha blends with the pixels below, and adds up") {
  CHECK(painted(3, 1, {shape(Shape::Fill, 0, 0, 2, 1, 128)}) == "\n-- |\n");
  CHECK(painted(3, 1, {shape(Shape::Fill, 0, 0, 2, 1, 128), shape(Shape::Fill, 1, 0, 2, 1, 128)}) ==
        "\n-+-|\n");
}

TEST_CASE("vertical and horizontal lines cover whole pixels wherever they are") {
  CHECK(painted(5, 3, {shape(Shape::Line, 2.25f, 0, 0, 3), shape(Shape::Line, 0, 1, 5, 0)}) == R"(
  #  |
#####|
  #  |
)");
  CHECK(painted(5, 3, {shape(Shape::Line, 2.25f, 3, 0, -3, 255, 3)}) == R"(
 ### |
 ### |
 ### |
)");
}

TEST_CASE("slanted lines are anti-aliased, the same in both directions") {
  CHECK(painted(8, 4, {shape(Shape::Line, 0, 0.5f, 8, 3.5f)}) ==
        painted(8, 4, {shape(Shape::Line, 8, 4, -8, -3.5f)}));
  CHECK(painted(5, 5, {shape(Shape::Line, 0, 0, 5, 5)}) == R"(
#.   |
.#.  |
 .#. |
  .#.|
   .#|
)");
  CHECK(painted(6, 3, {shape(Shape::Line, 0, 0, 6, 3, 255, 2)}) == R"(
##+-  |
-+##+-|
  -+##|
)");
}

TEST_CASE("an arrow has a head that ends at its end") {
  CHECK(painted(9, 12, {shape(Shape::Arrow, 4.5f, 0, 0, 12)}) == R"(
    #    |
    #    |
    #    |
    #    |
    #    |
 .#####. |
  +###+  |
  -###-  |
   ###   |
   -#-   |
   .#.   |
    -    |
)");
  CHECK(painted(12, 9, {shape(Shape::Arrow, 12, 4.5f, -12, 0)}) == R"(
            |
      .     |
    -+#     |
 .-####     |
-###########|
 .-####     |
    -+#     |
      .     |
            |
)");
}

TEST_CASE("shapes outside are clipped, whatever their coordinates") {
  const float huge = 3e38f;
  const float infinite = std::numeric_limits<float>::infinity();
  const float none = std::numeric_limits<float>::quiet_NaN();
  CHECK(painted(3, 2, {shape(Shape::Fill, -huge, -5, huge, 6)}) == "\n   |\n   |\n");
  CHECK(painted(3, 2, {shape(Shape::Fill, -10, -5, 20, 6)}) == "\n###|\n   |\n");
  CHECK(painted(3, 2, {shape(Shape::Line, -1e6f, 0.5f, 2e6f, 0)}) == "\n###|\n   |\n");
  for (const float odd : {huge, -huge, infinite, -infinite, none, 1e-40f})
    for (const Shape kind : {Shape::Fill, Shape::Line, Shape::Arrow, Shape::Text})
      for (int place = 0; place < 16; place++)
        painted(3, 2,
                {shape(kind, place & 1 ? odd : 1, place & 2 ? odd : 1, place & 4 ? odd : 1,
                       place & 8 ? odd : 1)});
}

TEST_CASE("scale magnifies everything") {
  CHECK(painted(6, 4, {shape(Shape::Fill, 0.5f, 0.5f, 2, 1)}, 2) == R"(
      |
 #### |
 #### |
      |
)");
  CHECK(painted(6, 2, {shape(Shape::Line, 1.5f, 0, 0, 1)}, 2) == R"(
  ##  |
  ##  |
)");
}

TEST_CASE("both orders of colours") {
  DrawList list;
  list.primitives.push_back(shape(Shape::Fill, 0, 0, 1, 1));
  Theme theme = black_on_white();
  theme.colours[static_cast<size_t>(Ink::Bar)] = {1, 2, 3};
  std::vector<uint32_t> pixels(1);
  paint_pixels(list, theme, PixelOrder::Bgra, 1, 1, 1, pixels);
  CHECK(pixels[0] == 0xff010203);
  paint_pixels(list, theme, PixelOrder::Rgba, 1, 1, 1, pixels);
  CHECK(pixels[0] == 0xff030201);
}
