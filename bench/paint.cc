// Painting cost: skein's pixels compared with cairo's, the same shapes on the same canvas of 1500 x
// 900; then SVG and terminal. With a trace: its whole picture.
//
//   bench_paint [TRACE]
#include "view/paint/paint.h"

#include <cstdio>
#include <string>

#include "bench/stages.h"
#include "view/draw/scene.h"

#ifdef SKEIN_HAS_CAIRO
#include "view/cairo/paint.h"
#endif

namespace {

using skein::DrawList;
using skein::Ink;
using skein::Primitive;
using skein::Shape;

constexpr uint32_t width = 1500;
constexpr uint32_t height = 900;

DrawList scattered(Shape shape, float w, float h, uint8_t alpha, float step) {
  DrawList list;
  list.width = width;
  list.height = height;
  unsigned seed = 1;
  const auto random = [&](float limit) {
    seed = seed * 1664525u + 1013904223u;
    const float exact = static_cast<float>(seed >> 8) / 16777216.0f * limit;
    return static_cast<float>(static_cast<int>(exact / step)) * step;
  };
  for (int i = 0; i < 2'000; i++)
    list.primitives.push_back(
        {random(width - w), random(height - h), w, h, 0, shape, Ink::Bar, alpha, 1});
  return list;
}

void add(skein::bench::Rounds& rounds, const std::string& name, const DrawList& list, size_t items,
         std::vector<uint32_t>& pixels) {
  const skein::Theme& theme = skein::themes[0];
  rounds.add(name + "/ours", items, [&](size_t) {
    paint_pixels(list, theme, skein::PixelOrder::Bgra, 1, width, height, pixels);
  });
#ifdef SKEIN_HAS_CAIRO
  rounds.add(name + "/cairo", items, [&](size_t) {
    cairo_surface_t* image =
        cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(pixels.data()),
                                            CAIRO_FORMAT_RGB24, width, height, width * 4);
    cairo_t* context = cairo_create(image);
    skein::paint(list, theme, context);
    cairo_destroy(context);
    cairo_surface_destroy(image);
  });
#endif
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<uint32_t> pixels(size_t{width} * height, 0xffffffff);
  const struct {
    const char* name;
    DrawList list;
  } shapes[] = {
      {"rectangle 20x3", scattered(Shape::Fill, 20, 3, 255, 1)},
      {"rectangle 20x3, between pixels", scattered(Shape::Fill, 20, 3, 255, 0.25f)},
      {"rectangle 20x3, half alpha", scattered(Shape::Fill, 20, 3, 128, 1)},
      {"upright line 300", scattered(Shape::Line, 0, 300, 128, 0.25f)},
      {"slanted line 300", scattered(Shape::Line, 200, 224, 255, 0.25f)},
      {"arrow 100", scattered(Shape::Arrow, 0, 100, 200, 0.25f)},
  };
  puts("name\tthreads\tbest ns\tmedian ns\tbest ratio\tmedian ratio");
  for (const auto& [name, list] : shapes) {
    skein::bench::Rounds rounds(31);
    add(rounds, name, list, list.primitives.size(), pixels);
    rounds.run();
  }
  if (argc < 2) return 0;

  const skein::Trace trace = skein::bench::trace_or_exit(argv[1]);
  const skein::Model model = skein::build_model(trace);
  const skein::Rows rows = skein::arrange(trace, model);
  const skein::Track track{&trace, &model, &rows};
  DrawList list;
  const double end = static_cast<double>(model.end);
  for (const double zoom : {1.0, 100.0}) {
    skein::Window window;
    window.from = zoom == 1 ? 0 : end * 0.01;
    window.to = window.from + end / zoom;
    window.row_height = 12;
    draw({&track, 1}, window, {}, list);
    skein::bench::Rounds rounds(31);
    const std::string name = "picture x" + std::to_string(static_cast<int>(zoom));
    add(rounds, name, list, 1, pixels);
#ifdef SKEIN_HAS_CAIRO
    cairo_surface_t* image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    rounds.add(name + "/ours, texts by pango", 1,
               [&](size_t) { paint_image(list, skein::themes[0], 1, image); });
#endif
    rounds.add(name + "/svg", 1,
               [&](size_t) { skein::bench::keep(to_svg(list, skein::themes[0], "").size()); });
    rounds.add(name + "/terminal", 1, [&](size_t) {
      skein::bench::keep(
          to_terminal(list, skein::themes[0], 188, skein::TerminalColours::All).size());
    });
    rounds.run();
    size_t texts = 0;
    for (const Primitive& p : list.primitives) texts += p.shape == Shape::Text;
    printf("# %zu primitives, %zu of them texts\n", list.primitives.size(), texts);
#ifdef SKEIN_HAS_CAIRO
    cairo_surface_destroy(image);
#endif
  }
}
