#include "view/draw/scene.h"

#include "view/draw/arrows.h"
#include "view/draw/bars.h"
#include "view/draw/layers.h"

namespace skein {

namespace {

void clear(DrawList& list, const Window& window) {
  list.width = window.width;
  list.height = window.height;
  list.primitives.clear();
  list.texts.assign(1, '\0');
}

void add_scene(const Frame& frame, Painter& painter) {
  painter.fill(Ink::Background, 0, 0, frame.window.width, frame.window.height);
  draw_sleeps_and_pauses(frame, painter);
  draw_grid(frame, painter);
  draw_highlights(frame, painter);
  draw_creations(frame, painter);
  if (frame.marks.arrows) draw_arrows(frame, painter);
  draw_bars(frame, painter);
  draw_thread_states(frame, painter);
  draw_samples(frame, painter);
  draw_spans(frame, painter);
  draw_path(frame, painter);
  if (frame.marks.arrows) draw_unheard(frame, painter);
  const size_t first_text = painter.size();
  draw_bands(frame, painter);
  draw_selection(frame, painter);
  draw_labels(frame, painter, first_text);
  draw_counters(frame, painter);
  draw_axis(frame, painter);
  draw_marks(frame, painter);
  draw_notes(frame, painter);
  draw_legend(frame, painter);
  draw_notice(frame, painter);
  draw_hint(frame, painter);
}

void add_readouts(const Frame& frame, Painter& painter) {
  draw_counter_values(frame, painter);
  draw_measure(frame, painter);
  draw_pointer(frame, painter);
}

enum Layers { Scene = 1, Readouts = 2 };

void draw(std::span<const Track> tracks, const Window& window, const Marks& marks, int layers,
          DrawList& list) {
  const Window checked = valid_window(window);
  const Frame frame(tracks, checked, marks);
  clear(list, checked);
  Painter painter(list);
  if (layers & Scene) add_scene(frame, painter);
  if (layers & Readouts) add_readouts(frame, painter);
}

}  // namespace

void draw(std::span<const Track> tracks, const Window& window, const Marks& marks, DrawList& list) {
  draw(tracks, window, marks, Scene | Readouts, list);
}

void draw_scene(std::span<const Track> tracks, const Window& window, const Marks& marks,
                DrawList& list) {
  draw(tracks, window, marks, Scene, list);
}

void draw_readouts(std::span<const Track> tracks, const Window& window, const Marks& marks,
                   DrawList& list) {
  draw(tracks, window, marks, Readouts, list);
}

}  // namespace skein
