#include "view/draw/scene.h"

#include "view/draw/arrows.h"
#include "view/draw/bars.h"
#include "view/draw/layers.h"

namespace skein {

namespace {

// What shells ask for may be nonsense for a moment (a window without a size while it is opened).
Window sound(Window window) {
  const auto finite = [](double value) { return value - value == 0; };
  const auto size = [&](float value) {
    return finite(value) ? std::clamp(value, 1.0f, 32'768.0f) : 1.0f;
  };
  window.width = size(window.width);
  window.height = size(window.height);
  if (!finite(window.from)) window.from = 0;
  if (!finite(window.to) || window.to <= window.from) window.to = window.from + 1;
  if (window.to - window.from <= 0) {  // so late that doubles cannot tell 1 ns
    window.from = 0;
    window.to = 1;
  }
  if (!finite(window.top)) window.top = 0;
  if (!finite(window.row_height)) window.row_height = 26;
  window.row_height = std::clamp(window.row_height, 1e-6, 1000.0);
  return window;
}

}  // namespace

void draw(std::span<const Track> tracks, const Window& window, const Marks& marks, DrawList& list) {
  const Window checked = sound(window);
  const Frame frame(tracks, checked, marks);
  list.width = checked.width;
  list.height = checked.height;
  list.primitives.clear();
  list.texts.assign(1, '\0');
  Painter painter(list);
  painter.fill(Ink::Background, 0, 0, checked.width, checked.height);
  draw_stretches(frame, painter);
  draw_grid(frame, painter);
  draw_bands(frame, painter);
  draw_creations(frame, painter);
  if (marks.arrows) draw_arrows(frame, painter);
  draw_bars(frame, painter);
  draw_spans(frame, painter);
  draw_selection(frame, painter);
  draw_labels(frame, painter);
  draw_counters(frame, painter);
  draw_axis(frame, painter);
  draw_marks(frame, painter);
  draw_legend(frame, painter);
  draw_notice(frame, painter);
  draw_hint(frame, painter);
}

}  // namespace skein
