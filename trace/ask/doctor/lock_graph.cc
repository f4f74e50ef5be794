#include "trace/ask/doctor/lock_graph.h"

#include <cstdint>

namespace skein {

namespace {

// Removes what has no predecessor left, repeatedly. `Reverse`: no successor.
template <bool Reverse>
void remove_ends(const std::vector<LockStep>& steps, std::vector<bool>& kept) {
  const auto from = [](const LockStep& step) { return Reverse ? step.taken : step.held; };
  const auto to = [](const LockStep& step) { return Reverse ? step.held : step.taken; };
  const auto is_kept = [&](const LockStep& step) { return kept[step.held] && kept[step.taken]; };
  std::vector<size_t> begin(kept.size() + 1);  // of the successors of each
  std::vector<size_t> predecessors(kept.size());
  for (const LockStep& step : steps)
    if (is_kept(step)) {
      begin[from(step) + 1]++;
      predecessors[to(step)]++;
    }
  for (size_t i = 1; i < begin.size(); i++) begin[i] += begin[i - 1];
  std::vector<TaskIndex> successors(begin.back());
  std::vector<size_t> at(begin.begin(), begin.end() - 1);
  for (const LockStep& step : steps)
    if (is_kept(step)) successors[at[from(step)]++] = to(step);
  std::vector<TaskIndex> ends;
  for (TaskIndex i = 0; i < kept.size(); i++)
    if (kept[i] && predecessors[i] == 0) ends.push_back(i);
  while (!ends.empty()) {
    const TaskIndex end = ends.back();
    ends.pop_back();
    kept[end] = false;
    for (size_t i = begin[end]; i < begin[end + 1]; i++)
      if (--predecessors[successors[i]] == 0) ends.push_back(successors[i]);
  }
}

}  // namespace

std::vector<bool> find_cyclic(const std::vector<LockStep>& steps, size_t count) {
  std::vector<bool> kept(count);
  for (const LockStep& step : steps) kept[step.held] = kept[step.taken] = true;
  remove_ends<false>(steps, kept);
  remove_ends<true>(steps, kept);
  return kept;
}

}  // namespace skein
