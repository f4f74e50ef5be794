// The bars and activations of a row that are in the window, in pixels. A template instantiated per
// row, not a callback per bar: a million bars may be visible.
#pragma once

#include <cmath>
#include <utility>

#include "view/draw/frame.h"

namespace skein {

// Calls visit(position, x, end_x) for each bar (activation, red part) of a row in the window, from
// left to right. `position` is an index into Rows::tasks (activations, red_times). x may be
// beyond the edges.
//
// each_bar(frame, track, row, cell, visit, crowd): consecutive bars that are thinner than a cell
// and begin in the same cell are merged into one call crowd(position, position behind the last, x
// of the first, sum of their widths).
template <typename... Visit>
void each_bar(const Frame& frame, size_t track, uint32_t row, const Visit&... visit);
template <typename... Visit>
void each_activation(const Frame& frame, size_t track, uint32_t row, const Visit&... visit);
template <typename... Visit>
void each_red_part(const Frame& frame, size_t track, uint32_t row, const Visit&... visit);

namespace detail {

// Converts Rows::Times to pixels.
struct TimeScale {
  TimeScale(const Frame& frame, const Track& track)
      : per_unit(static_cast<double>(uint64_t{1} << track.rows->time_shift) * frame.per_ns),
        origin((track.offset - frame.window.from) * frame.per_ns),
        exact(track.rows->time_shift == 0 || per_unit < 0.25) {
    const auto unit = static_cast<double>(uint64_t{1} << track.rows->time_shift);
    const auto bounded = [&](double time) {
      const double units = (time - track.offset) / unit;
      return static_cast<uint32_t>(std::clamp(units, 0.0, 4294967295.0));
    };
    empty = frame.window.to < track.offset;
    from = bounded(frame.window.from);
    to = bounded(frame.window.to);
  }

  double x(uint32_t time) const { return static_cast<double>(time) * per_unit + origin; }
  // The bar of a stuck task extends beyond the end of its trace to the edge of the picture.
  double end_x(uint32_t time) const { return time == UINT32_MAX ? 1e9 : x(time); }

  // Start and end of a bar. The next bar may begin at the end that was rounded up; a bar never
  // covers the next one.
  template <typename Precise>
  std::pair<double, double> place(const Rows::Times& t, uint32_t position,
                                  const Precise& precise) const {
    return exact ? std::pair(x(t.start), end_x(t.end)) : precise(position);
  }

  double per_unit;
  double origin;
  bool exact;  // units are finer than pixels; otherwise a unit is visible
  bool empty = false;
  uint32_t from = 0;  // the window
  uint32_t to = 0;
};

inline const Rows::Times* first_in_sight(const TimeScale& scale, const Rows::Times* begin,
                                         const Rows::Times* end) {
  return std::partition_point(begin, end, [&](const Rows::Times& t) { return t.end < scale.from; });
}

// A million bars may be visible: compares them in units of time and converts few to pixels.
template <typename Precise, typename Visit, typename Crowd>
void each_between(const TimeScale& scale, const std::vector<Rows::Times>& times, uint32_t begin,
                  uint32_t end, const Precise& precise, double cell, const Visit& visit,
                  const Crowd& crowd) {
  if (scale.empty) return;
  const auto units = [&](double pixels) {
    return static_cast<uint32_t>(std::clamp(std::ceil(pixels / scale.per_unit), 0.0, 4294967295.0));
  };
  const uint32_t thin = scale.exact ? units(cell) : 0;
  const auto is_thin = [&](const Rows::Times& t) {
    return t.end - t.start < thin && t.end != UINT32_MAX;
  };
  const auto* const all = times.data();
  const auto* const last = all + end;
  const auto* at = first_in_sight(scale, all + begin, last);
  while (at != last && at->start <= scale.to) {
    const auto* const first = at++;
    const auto position = static_cast<uint32_t>(first - all);
    const auto [x, end_x] = scale.place(*first, position, precise);
    if (!(end_x - x < cell)) {
      visit(position, x, end_x);
      continue;
    }
    uint64_t width = first->end - first->start;
    const uint32_t limit = units((std::floor(x / cell) + 1) * cell - scale.origin);
    for (; at != last && at->start < limit && is_thin(*at); ++at) width += at->end - at->start;
    crowd(position, static_cast<uint32_t>(at - all), x,
          scale.exact ? static_cast<double>(width) * scale.per_unit : end_x - x);
  }
}

template <typename Precise, typename Visit>
void each_between(const TimeScale& scale, const std::vector<Rows::Times>& times, uint32_t begin,
                  uint32_t end, const Precise& precise, const Visit& visit) {
  if (scale.empty) return;
  const auto* const all = times.data();
  const auto* const last = all + end;
  const auto* at = first_in_sight(scale, all + begin, last);
  for (; at != last && at->start <= scale.to; ++at) {
    const auto position = static_cast<uint32_t>(at - all);
    const auto [x, end_x] = scale.place(*at, position, precise);
    visit(position, x, end_x);
  }
}

}  // namespace detail

template <typename... Visit>
void each_bar(const Frame& frame, size_t track_index, uint32_t row, const Visit&... visit) {
  const Track& track = frame.tracks[track_index];
  const Rows& rows = *track.rows;
  detail::each_between(
      detail::TimeScale(frame, track), rows.task_times, rows.begin[row], rows.begin[row + 1],
      [&](uint32_t position) {
        const Rows::Extent bar = rows.bar(*track.model, position);
        return std::pair(frame.x(track, bar.start), frame.x(track, bar.end));
      },
      visit...);
}

template <typename... Visit>
void each_activation(const Frame& frame, size_t track_index, uint32_t row, const Visit&... visit) {
  const Track& track = frame.tracks[track_index];
  const Rows& rows = *track.rows;
  detail::each_between(
      detail::TimeScale(frame, track), rows.activation_times, rows.activation_begin[row],
      rows.activation_begin[row + 1],
      [&](uint32_t position) {
        const Model::Activation& a = track.model->activations[rows.activations[position]];
        return std::pair(frame.x(track, a.start), frame.x(track, a.end));
      },
      visit...);
}

template <typename... Visit>
void each_red_part(const Frame& frame, size_t track_index, uint32_t row, const Visit&... visit) {
  const Track& track = frame.tracks[track_index];
  const Rows& rows = *track.rows;
  const detail::TimeScale scale(frame, track);
  detail::each_between(
      scale, rows.red_times, rows.red_begin[row], rows.red_begin[row + 1],
      [&](uint32_t position) {
        const Rows::Times& times = rows.red_times[position];
        return std::pair(scale.x(times.start), scale.end_x(times.end));
      },
      visit...);
}

}  // namespace skein
