#include "trace/ask/busy_thread.h"

#include <algorithm>

namespace skein {

std::optional<BusyThread> find_busy_thread(const Subject& s, TaskIndex operation,
                                           bool is_end_known) {
  constexpr uint64_t shortest = 100'000'000;  // ns
  if (!is_end_known) return {};
  const auto run = std::find_if(
      s.model.activations.rbegin(), s.model.activations.rend(),
      [&](const Model::Activation& a) { return a.executor == s.model.tasks[operation].executor; });
  if (run == s.model.activations.rend() || !s.waits.running[run->task] ||
      s.model.end - std::min(s.model.end, run->start) < shortest)
    return {};
  return BusyThread{.task = run->task, .since = run->start};
}

}  // namespace skein
