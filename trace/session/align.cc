#include "trace/session/align.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace skein {

namespace {

using Distance = std::optional<double>;

// The distance from time 0 of one trace to that of the other: by the counter if they share it, else
// in UTC; empty if a clock is unknown.
Distance distance(const TraceInfo& from, const TraceInfo& to) {
  if (from.tick_clock.is_same_axis(to.tick_clock))
    return static_cast<double>(static_cast<int64_t>(to.start - from.start));
  if (!from.utc_offset || !to.utc_offset) return {};
  const uint64_t a = from.start + static_cast<uint64_t>(*from.utc_offset);
  const uint64_t b = to.start + static_cast<uint64_t>(*to.utc_offset);
  // Invalid clocks may differ by more than 63 bits.
  const double roughly =
      static_cast<double>(static_cast<int64_t>(b)) - static_cast<double>(static_cast<int64_t>(a));
  return std::fabs(roughly) > 9e18 ? roughly : static_cast<double>(static_cast<int64_t>(b - a));
}

// The distance from the first trace to trace `which`. Prefers the counter, through an earlier trace
// that shares it: UTC is less exact, and the first trace may have another counter.
Distance distance_from_first(std::span<const Placed> traces, size_t which,
                             const std::vector<double>& earlier) {
  const TraceInfo& info = traces[which].info;
  for (size_t i = 0; i < which; i++)
    if (info.tick_clock.is_same_axis(traces[i].info.tick_clock))
      return earlier[i] + *distance(traces[i].info, info);
  return distance(traces[0].info, info);
}

}  // namespace

// Traces that are far apart are aligned by their starts: two short runs an hour apart would be two
// dots on an axis of an hour.
TimeAlignment align(std::span<const Placed> traces, AlignBy by) {
  TimeAlignment alignment;
  const auto at_starts = [&] {
    alignment.offsets.assign(traces.size(), 0);
    return alignment;
  };
  if (traces.size() < 2 || by == AlignBy::Start) return at_starts();
  double begin = 0;
  double end = 0;
  double sum = 0;
  for (size_t i = 0; i < traces.size(); i++) {
    const auto duration = static_cast<double>(traces[i].duration);
    const Distance offset = i == 0 ? 0 : distance_from_first(traces, i, alignment.offsets);
    if (!offset) return at_starts();
    alignment.offsets.push_back(*offset);
    begin = std::min(begin, *offset);
    end = std::max(end, *offset + duration);
    sum += duration;
  }
  if (end - begin > 2 * sum) return at_starts();
  alignment.by_clock = true;
  return alignment;
}

}  // namespace skein
