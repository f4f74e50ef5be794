// The bars of tasks, and where they run.
#pragma once

#include "view/draw/frame.h"
#include "view/draw/painter.h"

namespace skein {

// Calls visit(position, x, end_x) for what of a row is in the window, from left to right;
// `position` is an index into Rows::tasks (Rows::activations). x may be beyond the edges.
template <typename Visit>
void each_bar(const Frame& frame, size_t track, uint32_t row, const Visit& visit);
template <typename Visit>
void each_activation(const Frame& frame, size_t track, uint32_t row, const Visit& visit);

void draw_bars(const Frame& frame, Painter& painter);

// "ring.write (task), 1.25 ms".
std::string bar_title(const Track& track, TaskIndex task);

namespace detail {

// From Rows::Times to pixels.
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
  // What is stuck goes on behind the end of its trace, to that of the picture.
  double end_x(uint32_t time) const { return time == UINT32_MAX ? 1e9 : x(time); }

  double per_unit;
  double origin;
  bool exact;  // as exact as the picture; else a unit is seen
  bool empty = false;
  uint32_t from = 0;  // the window
  uint32_t to = 0;
};

template <typename Precise, typename Visit>
void each_between(const TimeScale& scale, const std::vector<Rows::Times>& times, uint32_t begin,
                  uint32_t end, const Precise& precise, const Visit& visit) {
  if (scale.empty) return;
  const auto* all = times.data();
  const auto* first = std::partition_point(
      all + begin, all + end, [&](const Rows::Times& t) { return t.end < scale.from; });
  const auto* const last = all + end;
  for (const auto* at = first; at != last && at->start <= scale.to; ++at) {
    const auto position = static_cast<uint32_t>(at - all);
    if (scale.exact) {
      // The end that is rounded up is where the next may begin: it never covers that.
      visit(position, scale.x(at->start), scale.end_x(at->end));
    } else {
      const auto [x, end_x] = precise(position);
      visit(position, x, end_x);
    }
  }
}

}  // namespace detail

template <typename Visit>
void each_bar(const Frame& frame, size_t track_index, uint32_t row, const Visit& visit) {
  const Track& track = frame.tracks[track_index];
  const Rows& rows = *track.rows;
  detail::each_between(
      detail::TimeScale(frame, track), rows.task_times, rows.begin[row], rows.begin[row + 1],
      [&](uint32_t position) {
        const Rows::Extent bar = rows.bar(*track.model, position);
        return std::pair(frame.x(track, bar.start), frame.x(track, bar.end));
      },
      visit);
}

template <typename Visit>
void each_activation(const Frame& frame, size_t track_index, uint32_t row, const Visit& visit) {
  const Track& track = frame.tracks[track_index];
  const Rows& rows = *track.rows;
  detail::each_between(
      detail::TimeScale(frame, track), rows.activation_times, rows.activation_begin[row],
      rows.activation_begin[row + 1],
      [&](uint32_t position) {
        const Model::Activation& a = track.model->activations[rows.activations[position]];
        return std::pair(frame.x(track, a.start), frame.x(track, a.end));
      },
      visit);
}

}  // namespace skein
