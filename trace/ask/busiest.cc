#include "trace/ask/busiest.h"

#include <algorithm>
#include <utility>

namespace skein {

std::span<const uint32_t> Busiest::between(uint32_t executor, uint64_t begin, uint64_t end) {
  const std::vector<Model::Activation>& all = model_.activations;
  if (by_executor_.count() == 0) {
    size_t executors = 0;
    for (const Model::Activation& a : all) executors = std::max(executors, a.executor + size_t{1});
    by_executor_ = RowsBy(all, executors, [](const auto& a) { return a.executor; });
    ran_.resize(model_.tasks.size(), 0);
  }
  if (executor >= by_executor_.count() || begin >= end) return {};
  const std::span<const uint32_t> there = by_executor_.of(executor);
  // They do not overlap, so they are also ordered by end.
  const auto first = std::partition_point(there.begin(), there.end(),
                                          [&](uint32_t i) { return all[i].end <= begin; });
  const auto last =
      std::partition_point(first, there.end(), [&](uint32_t i) { return all[i].start < end; });
  return {first, last};
}

TaskIndex Busiest::on(uint32_t executor, uint64_t begin, uint64_t end, TaskIndex but) {
  const std::span<const uint32_t> there = between(executor, begin, end);
  for (const uint32_t i : there) {
    const Model::Activation& a = model_.activations[i];
    ran_[a.task] += std::min(a.end, end) - std::max(a.start, begin);
  }
  // Backwards: only the last activation of each task finds its sum; the others find 0.
  TaskIndex longest = no_index;
  uint64_t most = 1;
  for (size_t i = there.size(); i-- > 0;) {
    const TaskIndex task = model_.activations[there[i]].task;
    const uint64_t sum = std::exchange(ran_[task], 0);
    if (sum < most || task == but) continue;
    most = sum;
    longest = task;
  }
  return longest;
}

}  // namespace skein
