#include <vector>

#include "view/draw/layers.h"

namespace skein {

namespace {

constexpr size_t most_rings = 600;
constexpr double ring_size = 9;

}  // namespace

void draw_ring(Painter& painter, double x, double y) {
  constexpr double half = ring_size / 2;
  constexpr double line = 2;
  painter.fill(Ink::Unheard, x - half, y - half, ring_size, ring_size);
  painter.fill(Ink::Background, x - half + line, y - half + line, ring_size - 2 * line,
               ring_size - 2 * line);
}

void draw_unheard(const Frame& frame, Painter& painter) {
  if (frame.row_height < 4) return;
  for (size_t track = 0; track < frame.tracks.size(); track++) {
    const Track& t = frame.tracks[track];
    const std::vector<Model::Unheard>& all = t.rows->unheard;
    std::vector<double> drawn_to(t.rows->count, -1e9);  // one ring for those that would overlap
    size_t rings = 0;
    auto at = std::partition_point(all.begin(), all.end(), [&](const Model::Unheard& one) {
      return frame.x(t, one.time) < -ring_size;
    });
    for (; at != all.end() && rings < most_rings; ++at) {
      const double x = frame.x(t, at->time);
      if (x > frame.window.width + ring_size) break;
      const uint32_t row = t.rows->row[at->by];
      if (frame.folded(track, row) || x < drawn_to[row]) continue;
      const double y = frame.middle_y(track, row);
      if (y < frame.areas.rows || y > frame.areas.counters) continue;
      painter.allow(2);
      draw_ring(painter, x, y);
      drawn_to[row] = x + ring_size;
      rings++;
    }
  }
}

}  // namespace skein
