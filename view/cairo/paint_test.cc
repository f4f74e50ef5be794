#include "view/cairo/paint.h"

#include <doctest/doctest.h>

#include <vector>

using namespace skein;

namespace {

uint32_t add(DrawList& list, std::string_view text) {
  const auto offset = static_cast<uint32_t>(list.texts.size());
  (list.texts += text) += '\0';
  return offset;
}

DrawList canvas(float width, float height) {
  DrawList list;
  list.width = width;
  list.height = height;
  list.primitives.push_back({0, 0, width, height, 0, Shape::Fill, Ink::Background});
  return list;
}

// The number of pixels in each column that differ from the background.
std::vector<int> inked_columns(cairo_surface_t* image, Colour background) {
  cairo_surface_flush(image);
  const int width = cairo_image_surface_get_width(image);
  const int height = cairo_image_surface_get_height(image);
  const auto* pixels = reinterpret_cast<const uint32_t*>(cairo_image_surface_get_data(image));
  std::vector<int> count(static_cast<size_t>(width));
  const uint32_t plain =
      uint32_t{background.red} << 16 | uint32_t{background.green} << 8 | background.blue;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      if ((pixels[y * width + x] & 0xffffff) != plain) count[static_cast<size_t>(x)]++;
  return count;
}

}  // namespace

TEST_CASE("shapes and texts, as vectors and as pixels, in the order of the list") {
  DrawList list = canvas(60, 20);
  list.primitives.push_back({2, 14, 0, 0, add(list, "task"), Shape::Text, Ink::Label, 255, 11});
  list.primitives.push_back({0, 0, 6, 20, 0, Shape::Fill, Ink::Background});  // over the t
  list.primitives.push_back({50, 0, 0, 20, 0, Shape::Arrow, Ink::Read});
  const Theme& theme = themes[0];
  for (const bool vectors : {true, false}) {
    cairo_surface_t* image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 60, 20);
    if (vectors) {
      cairo_t* context = cairo_create(image);
      paint(list, theme, context);
      cairo_destroy(context);
    } else {
      paint_image(list, theme, 1, image);
    }
    const std::vector<int> columns = inked_columns(image, theme[Ink::Background]);
    for (size_t x = 0; x < 6; x++) CHECK(columns[x] == 0);
    int text = 0;
    for (size_t x = 6; x < 40; x++) text += columns[x];
    CHECK(text > 30);
    CHECK(columns[50] == 20);
    CHECK(columns[40] == 0);
    cairo_surface_destroy(image);
  }
}

TEST_CASE("files") {
  DrawList list = canvas(60, 20);
  list.primitives.push_back({2, 14, 0, 0, add(list, "task"), Shape::Text, Ink::Label, 255, 11});
  CHECK(to_png(list, themes[0], 2).starts_with("\x89PNG"));
  CHECK(to_pdf(list, themes[0], "a\x1b title").starts_with("%PDF"));
  list.width = 1e6f;
  CHECK(to_png(list, themes[0], 1).empty());
}
