#include "trace/ask/mutual_sends.h"

#include <algorithm>

namespace skein {

std::optional<MutualSends> find_mutual_sends(const Subject& s, const OpenWaiters& waiters,
                                             TaskIndex send, const BothEnds& ends) {
  const auto is_pending = [&](TaskIndex task) {
    return task != no_index && s.model.is_open(task) && s.waits.first_run[task] == Waits::never;
  };
  if (s.trace.info.overwritten_packets != 0 || !s.trace.losses.empty()) return {};
  if (ends.own.sends != send || !is_pending(send) || !is_pending(ends.other.sends)) return {};
  if (is_pending(ends.own.receives) || is_pending(ends.other.receives)) return {};
  if (waiters.of(send) == no_index || waiters.of(ends.other.sends) == no_index) return {};
  if (ends.own.receives == no_index && ends.other.receives == no_index) return {};
  if (ends.own.receives != no_index && waiters.may_repeat(ends.own.receives, send)) return {};
  if (ends.other.receives != no_index && waiters.may_repeat(ends.other.receives, ends.other.sends))
    return {};
  return MutualSends{
      .peer = waiters.of(ends.other.sends),
      .send = ends.other.sends,
      .last_read = ends.own.receives,
      .since = std::max(s.model.tasks[send].start, s.model.tasks[ends.other.sends].start)};
}

}  // namespace skein
