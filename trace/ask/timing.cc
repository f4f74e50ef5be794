#include "trace/ask/timing.h"

#include <algorithm>
#include <unordered_map>

#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

using Sums = TimingDifference::Sums;

// The self time of each task.
std::vector<Sums> own_times(const Subject& run) {
  std::vector<Sums> sums(run.model.tasks.size());
  for (const Model::Activation& activation : run.model.activations)
    if (activation.task != no_index)
      sums[activation.task].running += activation.end - activation.start;
  for (const Waits::Wait& wait : run.waits.waits) {
    if (wait.is_open()) continue;
    const uint64_t ready = std::min(wait.ready, wait.end);
    sums[wait.task].ready += wait.end - ready;
    const bool for_a_task = wait.on != no_index && !run.model.tasks[wait.on].is_resource &&
                            !is_operation(run.trace, run.model.tasks[wait.on]);
    if (!for_a_task) sums[wait.task].blocked += ready - std::min(wait.begin, ready);
  }
  return sums;
}

void add(Sums& to, const Sums& more) {
  to.running += more.running;
  to.ready += more.ready;
  to.blocked += more.blocked;
}

}  // namespace

std::vector<TimingDifference> timing_differences(const Subject& good, const Subject& bad,
                                                 const Alignment& aligned) {
  const std::vector<Sums> good_times = own_times(good), bad_times = own_times(bad);
  std::vector<TimingDifference> groups;
  std::unordered_map<uint64_t, size_t> known;
  for (TaskIndex task = 0; task < good.model.tasks.size(); task++) {
    const TaskIndex other = aligned.in_bad[task];
    const auto is_open = [](const Subject& run, TaskIndex index) {
      return run.model.is_open(index);
    };
    if (other == no_index || good.model.tasks[task].is_resource || is_open(good, task) ||
        is_open(bad, other))
      continue;
    const auto [at, is_new] = known.try_emplace(aligned.good.tasks[task], groups.size());
    if (is_new) groups.push_back({.first = task});
    TimingDifference& group = groups[at->second];
    group.count++;
    add(group.good, good_times[task]);
    add(group.bad, bad_times[other]);
  }
  std::erase_if(groups, [](const TimingDifference& group) { return group.size() == 0; });
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return groups;
}

uint64_t sum_of(const std::vector<TimingDifference>& differences) {
  uint64_t sum = 0;
  for (const TimingDifference& d : differences) sum += d.size();
  return sum;
}

}  // namespace skein
