// The queues in which handlers wait: that of their context (an io_context, a thread pool), and of
// their strand.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "trace/model/model.h"

namespace skein {

// "io_context" of "io_context.post".
inline std::string_view context_of(const Trace& trace, const Model& model, TaskIndex handler) {
  const std::string_view name = trace.strings[model.tasks[handler].name];
  return name.substr(0, std::min(name.find('.'), name.size()));
}

// An index in Model::objects; Model::Object::none: no strand.
inline uint32_t strand_of(const Model& model, TaskIndex handler) {
  const Model::Concern* use = model.concern(handler);
  return use == nullptr ? Model::Object::none : use->object;
}

inline constexpr std::string_view thread_pool = "thread_pool";

// By executor: whether it is a thread of a thread pool. Jobs of a pool may take their time
// while others wait for their turn. O(activations).
inline std::vector<bool> find_pool_threads(const Trace& trace, const Model& model) {
  std::vector<bool> found(trace.executors.size());
  for (const Model::Activation& run : model.activations)
    if (run.task != no_index && run.executor < found.size() &&
        context_of(trace, model, run.task) == thread_pool)
      found[run.executor] = true;
  return found;
}

}  // namespace skein
