#include "view/draw/frame.h"

namespace skein {

Frame::Frame(std::span<const Track> all, const Window& of, const Marks& with)
    : tracks(all), window(of), marks(with), areas(skein::areas(all, of, with)) {
  per_ns = window.width / (window.to - window.from);
  row_height = window.row_height;
  double row = 0;
  for (const Track& track : tracks) {
    if (tracks.size() > 1) row += 1;
    first_row.push_back(row);
    row += track.rows->count;
  }
  if (static_cast<double>(marks.lines.size()) == row + 1) lines = marks.lines;
  top_line = line_of(lines, window.top);
  const double h = row_height;
  has_labels = h >= 9.5;
  has_kinds = h >= 24;
  if (has_labels) {
    label_size = static_cast<uint8_t>(h >= 30   ? 12
                                      : h >= 26 ? 11
                                      : h >= 24 ? 10
                                      : h >= 22 ? 11
                                      : h >= 11 ? 9
                                                : 8);
    kind_size = h >= 11 ? 9 : 8;
    bar_height = h >= 30   ? 7
                 : h >= 26 ? 6
                 : h >= 24 ? 5
                 : h >= 22 ? 6
                 : h >= 16 ? 5
                 : h >= 11 ? 4
                           : 3;
    bar_top = has_kinds ? label_size + 1.0 : static_cast<double>(static_cast<int>(h - bar_height));
  } else {
    const double gap = h >= 6 ? 2 : h >= 3 ? 1 : 0;
    bar_height = std::min(6.0, h >= 4 ? static_cast<double>(static_cast<int>(h - gap)) : h - gap);
    bar_top = static_cast<double>(static_cast<int>((h - bar_height) / 2));
    label_size = 9;
  }
}

Frame::Range Frame::visible_rows(size_t track) const {
  const double count = tracks[track].rows->count;
  const double height = areas.counters - areas.rows;
  const double first = row_in(lines, top_line) - first_row[track];
  const double last = row_in(lines, top_line + height / row_height) + 1 - first_row[track];
  const auto bounded = [&](double row) {
    return static_cast<uint32_t>(std::clamp(row, 0.0, count));
  };
  return {bounded(first), bounded(last)};
}

}  // namespace skein
