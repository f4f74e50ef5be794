// Redraw time: at every zoom from the whole trace to the finest, at three positions, with rows that
// all fit and with readable rows; 1500 x 900. Median CPU ms of the whole process.
//
//   bench_redraw TRACE [rounds]
//   skein-generate-mirage --events 10000000 -o big.ctf && bench_redraw big.ctf
//
// Prints zoom, position, row height, primitives, ms of the draw list, ms of its pixels (including
// text if cairo and pango are available: all that the desktop window does).
#include <cmath>
#include <cstdint>

#include "bench/stages.h"
#include "view/draw/areas.h"
#include "view/draw/scene.h"
#include "view/paint/paint.h"

#ifdef SKEIN_HAS_CAIRO
#include "view/cairo/paint.h"
#endif

namespace {

using namespace skein;

constexpr uint32_t width = 1500;
constexpr uint32_t height = 900;
constexpr double finest = 100;  // ns in the window: below the resolution of trace clocks

class Canvas {
 public:
  void paint(const DrawList& list) {
#ifdef SKEIN_HAS_CAIRO
    skein::paint_image(list, themes[0], 1, image_);
#else
    paint_pixels(list, themes[0], PixelOrder::Bgra, 1, width, height, pixels_);
#endif
  }

 private:
#ifdef SKEIN_HAS_CAIRO
  cairo_surface_t* image_ = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
#else
  std::vector<uint32_t> pixels_ = std::vector<uint32_t>(size_t{width} * height);
#endif
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_redraw TRACE [rounds]\n", stderr);
    return 2;
  }
  const int rounds = argc > 2 ? atoi(argv[2]) : 5;
  const Trace trace = bench::trace_or_exit(argv[1]);
  bench::warm_memory(trace.events.size() * 60);
  const Model model = build_model(trace);
  const Rows rows = arrange(trace, model);
  const Track track{&trace, &model, &rows};
  const std::span<const Track> tracks(&track, 1);
  const Marks marks{.legend = true};
  const auto end = static_cast<double>(model.end);
  Canvas canvas;
  DrawList list;
  for (double zoom = 1; zoom == 1 || end / zoom >= finest; zoom *= 10)
    for (const double place : {0.0, 0.3, 0.9}) {
      if (zoom == 1 && place > 0) continue;
      for (const double readable : {0.0, 2.0, 6.0, 26.0}) {
        Window window{.from = end * place,
                      .to = end * place + end / zoom,
                      .row_height = readable,
                      .width = width,
                      .height = height};
        if (readable == 0) {
          const Areas room = areas(tracks, window, marks);
          window.row_height = (room.counters - room.rows) / total_rows(tracks);
        }
        const double draw_ms =
            bench::median_ms(rounds, [&] { skein::draw(tracks, window, marks, list); });
        const double paint_ms = bench::median_ms(rounds, [&] { canvas.paint(list); });
        printf("%.0f\t%.1f\t%.3f\t%zu\t%.2f\t%.2f\n", zoom, place, window.row_height,
               list.primitives.size(), draw_ms, paint_ms);
      }
    }
}
