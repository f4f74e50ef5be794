// Prints the difference of two pictures: the share of tiles with different mean colours, from 0 to
// 1; 1 if their sizes differ. Another font changes only the texture of a tile, not its mean, but a
// moved bar or row and a changed colour change the mean.
//
//    picture_difference A.png B.png
#include <cairo.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

constexpr int side = 15;       // of a tile, in pixels
constexpr int different = 14;  // of 255, in a mean; more than another font causes

using Picture = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

Picture read(const char* path) {
  Picture picture(cairo_image_surface_create_from_png(path), cairo_surface_destroy);
  if (cairo_surface_status(picture.get()) == CAIRO_STATUS_SUCCESS) return picture;
  std::fprintf(stderr, "picture_difference: %s: %s\n", path,
               cairo_status_to_string(cairo_surface_status(picture.get())));
  std::exit(2);
}

int width(const Picture& picture) { return cairo_image_surface_get_width(picture.get()); }
int height(const Picture& picture) { return cairo_image_surface_get_height(picture.get()); }

// Returns a row of pixels: red, green, blue at bits 16, 8, 0, with or without alpha.
const uint32_t* row(const Picture& picture, int y) {
  return reinterpret_cast<const uint32_t*>(cairo_image_surface_get_data(picture.get()) +
                                           ptrdiff_t{y} *
                                               cairo_image_surface_get_stride(picture.get()));
}

bool is_other(const Picture& a, const Picture& b, int left, int top) {
  const int right = std::min(left + side, width(a));
  const int bottom = std::min(top + side, height(a));
  const int pixels = (right - left) * (bottom - top);
  for (const int shift : {0, 8, 16}) {
    int sum = 0;
    for (int y = top; y < bottom; y++)
      for (int x = left; x < right; x++)
        sum += static_cast<int>(row(a, y)[x] >> shift & 0xff) -
               static_cast<int>(row(b, y)[x] >> shift & 0xff);
    if (std::abs(sum) > different * pixels) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const Picture a = read(argv[1]);
  const Picture b = read(argv[2]);
  int tiles = 0;
  int others = 0;
  const bool same_size = width(a) == width(b) && height(a) == height(b);
  for (int y = 0; same_size && y < height(a); y += side)
    for (int x = 0; x < width(a); x += side, tiles++) others += is_other(a, b, x, y);
  std::printf("%.5f\n", tiles == 0 ? 1.0 : static_cast<double>(others) / tiles);
}
