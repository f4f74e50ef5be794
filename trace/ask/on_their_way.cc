#include "trace/ask/on_their_way.h"

#include <algorithm>

namespace skein {

namespace {

// A thread that has run a task for less than this is not busy, ns.
constexpr uint64_t busy_threshold_ns = 100'000'000;

}  // namespace

std::optional<OnTheirWay> find_on_their_way(const Subject& s, TaskIndex receive, const Traffic& own,
                                            const Traffic& other, bool is_end_known) {
  if (other.sent <= own.received || !s.trace.losses.empty()) return {};
  OnTheirWay found{.bytes = other.sent - own.received};
  if (!is_end_known) return found;
  const auto run = std::find_if(
      s.model.activations.rbegin(), s.model.activations.rend(),
      [&](const Model::Activation& a) { return a.executor == s.model.tasks[receive].executor; });
  if (run == s.model.activations.rend() || !s.waits.running[run->task] ||
      s.model.end - std::min(s.model.end, run->start) < busy_threshold_ns)
    return found;
  found.busy = run->task;
  found.busy_since = run->start;
  return found;
}

}  // namespace skein
