// Checks the invariants of a model that drawing relies on, for any trace.
#pragma once

#include <cstdlib>

#include "trace/model/model.h"

namespace skein {

inline void check_model(const Trace& trace) {
  const auto require = [](bool condition) {
    if (!condition) std::abort();
  };
  const Model model = build_model(trace);
  const size_t tasks = model.tasks.size();
  const auto known = [&](TaskIndex task) { return task == no_index || task < tasks; };
  for (const Model::Task& task : model.tasks) {
    require(task.start <= task.end && known(task.parent) && known(task.becomes));
    size_t way = 0;
    for (TaskIndex at = task.parent; at != no_index && way < 1000; at = model.tasks[at].parent)
      require(++way <= tasks);
  }
  uint64_t last = 0;
  for (const Model::Activation& activation : model.activations) {
    require(activation.task < tasks && activation.executor < trace.executors.size());
    require(last <= activation.start && activation.start < activation.end);
    last = activation.start;
  }
  last = 0;
  for (const Model::Interaction& arrow : model.interactions) {
    require(known(arrow.from) && known(arrow.to));
    require(arrow.from_time <= arrow.to_time && last <= arrow.to_time);
    last = arrow.to_time;
  }
}

}  // namespace skein
