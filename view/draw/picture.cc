#include "view/draw/picture.h"

#include <algorithm>

namespace skein {

Window valid_window(Window window) {
  const auto finite = [](double value) { return value - value == 0; };
  const auto bounded = [&](double value, double least, double most, double otherwise) {
    return finite(value) ? std::clamp(value, least, most) : otherwise;
  };
  const auto size = [&](float value) {
    return static_cast<float>(bounded(static_cast<double>(value), 1, 32'768, 1));
  };
  window.width = size(window.width);
  window.height = size(window.height);
  window.from = bounded(window.from, -4e18, 4e18, 0);
  window.to = bounded(window.to, -4e18, 4e18, 0);
  // A thousandth of a nanosecond is the narrowest useful window. For late times the limit is the
  // precision of a double.
  if (!(window.to - window.from >= 1e-3))
    window.to = window.from + std::max(1.0, window.from / 1e12);
  window.top = bounded(window.top, -1e10, 1e10, 0);
  window.row_height = bounded(window.row_height, 1e-6, 1000, 26);
  return window;
}

double total_rows(std::span<const Track> tracks) {
  double rows = 0;
  for (const Track& track : tracks) rows += track.rows->count + (tracks.size() > 1 ? 1 : 0);
  return rows;
}

}  // namespace skein
