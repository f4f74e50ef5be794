#include "view/draw/scene.h"

#include "view/draw/arrows.h"
#include "view/draw/bars.h"
#include "view/draw/layers.h"

namespace skein {

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
