#include "trace/ask/blocked_pool.h"

#include <algorithm>
#include <map>
#include <set>

#include "trace/ask/handler_queue.h"
#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

// See BlockedPool::strands. O(runs * starved).
std::vector<TaskIndex> find_strand_cycle(const Subject& s, std::span<const LastingRun> runs,
                                         std::span<const TaskIndex> starved) {
  std::map<uint32_t, TaskIndex> occupied;  // by strand
  for (const LastingRun& run : runs)
    if (const uint32_t strand = strand_of(s.model, run.task); strand != Model::Object::none)
      occupied.emplace(strand, run.task);
  std::map<TaskIndex, TaskIndex> next;  // by run: that which its handler waits for
  for (const TaskIndex handler : starved) {
    const auto at = occupied.find(strand_of(s.model, handler));
    const TaskIndex poster = s.model.tasks[handler].parent;
    if (at != occupied.end() && at->second != poster) next.emplace(poster, at->second);
  }
  for (const auto& [strand, first] : occupied) {
    std::vector<TaskIndex> path;
    TaskIndex at = first;
    while (std::find(path.begin(), path.end(), at) == path.end()) {
      path.push_back(at);
      const auto after = next.find(at);
      if (after == next.end()) break;
      at = after->second;
    }
    if (path.size() > 1 && at == first && next.contains(path.back())) return path;
  }
  return {};
}

struct Pool {
  std::set<uint32_t> threads = {};
  std::vector<TaskIndex> queued = {};
};

}  // namespace

std::vector<std::optional<BlockedPool>> find_blocked_pools(const Subject& s,
                                                           std::span<const LastingRun> runs,
                                                           std::span<const TaskIndex> starved) {
  std::vector<std::optional<BlockedPool>> found(runs.size());
  std::map<std::string_view, Pool> pools;
  for (const TaskIndex handler : starved)
    // One of a strand may wait for that only.
    if (s.model.concern(handler) == nullptr)
      pools[context_of(s.trace, s.model, handler)].queued.push_back(handler);
  if (pools.empty() || runs.empty()) return found;
  for (const Model::Activation& run : s.model.activations) {
    if (run.task == no_index || kind_class(s.trace, s.model.tasks[run.task]) != KindClass::Handler)
      continue;
    if (const auto pool = pools.find(context_of(s.trace, s.model, run.task)); pool != pools.end())
      pool->second.threads.insert(run.executor);
  }
  std::map<uint32_t, std::set<uint32_t>> threads_of_strand;
  for (const Model::Activation& run : s.model.activations)
    if (run.task != no_index)
      if (const uint32_t strand = strand_of(s.model, run.task); strand != Model::Object::none)
        threads_of_strand[strand].insert(run.executor);
  const std::vector<TaskIndex> cycle = find_strand_cycle(s, runs, starved);
  std::set<uint32_t> blocked;
  for (const LastingRun& run : runs) blocked.insert(run.executor);
  for (const auto& of_context : pools) {
    const Pool& pool = of_context.second;
    if (pool.threads.empty() ||
        !std::includes(blocked.begin(), blocked.end(), pool.threads.begin(), pool.threads.end()))
      continue;
    const auto is_in_pool = [&](const LastingRun& run) {
      return pool.threads.contains(run.executor);
    };
    BlockedPool of{.context = of_context.first,
                   .threads = pool.threads.size(),
                   .queued = pool.queued.size(),
                   .first = pool.queued.front()};
    for (const TaskIndex handler : pool.queued) {
      const bool is_posted = std::any_of(runs.begin(), runs.end(), [&](const LastingRun& run) {
        return is_in_pool(run) && s.model.tasks[handler].parent == run.task;
      });
      if (is_posted && of.posted++ == 0) of.first = handler;
    }
    for (const TaskIndex handler : starved) {
      const auto strand = threads_of_strand.find(strand_of(s.model, handler));
      of.in_strands += strand != threads_of_strand.end() &&
                       std::includes(pool.threads.begin(), pool.threads.end(),
                                     strand->second.begin(), strand->second.end());
    }
    const bool is_cycle_here = std::all_of(cycle.begin(), cycle.end(), [&](TaskIndex task) {
      return std::any_of(runs.begin(), runs.end(), [&](const LastingRun& run) {
        return run.task == task && is_in_pool(run);
      });
    });
    if (is_cycle_here) of.strands = cycle;
    for (size_t i = 0; i < runs.size(); i++)
      if (is_in_pool(runs[i])) found[i] = of;
  }
  return found;
}

}  // namespace skein
