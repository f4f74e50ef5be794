#include "trace/ask/blocked_pool.h"

#include <algorithm>
#include <map>
#include <set>

#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

// "io_context" of "io_context.post".
std::string_view context_of(const Subject& s, TaskIndex handler) {
  const std::string_view name = s.trace.strings[s.model.tasks[handler].name];
  return name.substr(0, std::min(name.find('.'), name.size()));
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
      pools[context_of(s, handler)].queued.push_back(handler);
  if (pools.empty() || runs.empty()) return found;
  for (const Model::Activation& run : s.model.activations) {
    if (run.task == no_index || kind_class(s.trace, s.model.tasks[run.task]) != KindClass::Handler)
      continue;
    if (const auto pool = pools.find(context_of(s, run.task)); pool != pools.end())
      pool->second.threads.insert(run.executor);
  }
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
    for (size_t i = 0; i < runs.size(); i++)
      if (is_in_pool(runs[i])) found[i] = of;
  }
  return found;
}

}  // namespace skein
