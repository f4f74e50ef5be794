// Notes on a task of one trace: marks the time and the bar, and draws the text.
#include <algorithm>
#include <cmath>
#include <vector>

#include "view/draw/layers.h"
#include "view/draw/text.h"

namespace skein {

void draw_notes(const Frame& frame, Painter& painter) {
  constexpr uint8_t size = 11;
  constexpr double high = 16;
  painter.allow(200);
  const double width = frame.window.width;
  struct Box {
    double left, right, y;
  };
  std::vector<Box> boxes;  // of the texts; none covers another
  for (const Marks::Note& note : frame.marks.notes) {
    if (note.track >= frame.tracks.size()) continue;
    const Track& track = frame.tracks[note.track];
    if (note.task >= track.rows->row.size()) continue;
    const double x = (note.time + track.offset - frame.window.from) * frame.per_ns;
    if (!(x >= 0 && x <= width)) continue;
    const double top = std::max<double>(frame.y(note.track, 0), frame.areas.rows);
    const double bottom =
        std::min<double>(frame.y(note.track, track.rows->count), frame.areas.counters);
    if (bottom - top < 2) continue;
    painter.fill(Ink::Bookmark, x - 1, top, 2, bottom - top, 200);
    double y = top;  // of the text, above the bar
    if (const uint32_t row = track.rows->row[note.task];
        row != Rows::no_row && !frame.folded(note.track, row)) {
      const double bar = frame.bar_y(note.track, row);
      if (bar + frame.bar_height > top && bar < bottom) {
        painter.fill(Ink::Bookmark, x - 4, bar - 3, 8, frame.bar_height + 6);
        y = std::max(top, bar - high - 4);
      }
    }
    const bool to_left = x > width * 0.6;
    const double room = (to_left ? x : width - x) - 16;
    const std::string text = fit_text(note.text, size, static_cast<float>(room));
    if (text.empty()) continue;
    const double wide = text_width(text, size) + 10;
    const double left = to_left ? x - wide - 3 : x + 3;
    for (size_t i = 0; i < boxes.size();) {
      const Box& box = boxes[i++];
      if (box.left > left + wide || box.right < left || std::abs(box.y - y) > high) continue;
      y = box.y + high + 4;
      i = 0;
    }
    boxes.push_back({left, left + wide, y});
    painter.fill(Ink::Bookmark, left - 1, y - 1, wide + 2, high + 2);
    painter.fill(Ink::Panel, left, y, wide, high);
    painter.text(Ink::Bookmark, left + 5, y + 12, size, text);
  }
}

}  // namespace skein
