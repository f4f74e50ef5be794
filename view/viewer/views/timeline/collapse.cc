#include "view/viewer/views/timeline/collapse.h"

#include <algorithm>

namespace skein {

// Parents do not always precede their children, and a damaged trace could have cycles: follows each
// chain up to a known task, then all of the chain is known.
Shown shown(const Model& model, const std::vector<uint8_t>& passes,
            const std::vector<uint8_t>& collapsed) {
  Shown all{.tasks = passes};
  if (std::find(collapsed.begin(), collapsed.end(), 1) == collapsed.end()) return all;
  const std::vector<Model::Task>& tasks = model.tasks;
  enum : uint8_t { Unknown, OnTheWay, Seen, Hidden };
  std::vector<uint8_t> state(tasks.size(), Unknown);
  std::vector<TaskIndex> inside(tasks.size(), no_index);
  std::vector<TaskIndex> chain;
  for (TaskIndex i = 0; i < tasks.size(); i++) {
    chain.clear();
    TaskIndex at = i;
    while (at < tasks.size() && state[at] == Unknown) {
      state[at] = OnTheWay;
      chain.push_back(at);
      at = tasks[at].parent;
    }
    // The collapsed task that hides the chain; no_index: it is visible.
    TaskIndex into = no_index;
    if (at < tasks.size() && state[at] == Hidden)
      into = inside[at];
    else if (at < tasks.size() && state[at] == Seen && collapsed[at] != 0)
      into = at;
    for (auto task = chain.rbegin(); task != chain.rend(); ++task) {
      state[*task] = into != no_index ? Hidden : Seen;
      inside[*task] = into;
      if (into == no_index && collapsed[*task] != 0) into = *task;
    }
  }
  if (all.tasks.empty()) all.tasks.assign(tasks.size(), 1);
  all.hidden.assign(tasks.size(), 0);
  for (TaskIndex i = 0; i < tasks.size(); i++) {
    if (state[i] != Hidden) continue;
    all.tasks[i] = 0;
    all.hidden[inside[i]]++;
  }
  return all;
}

bool expand_above(const Model& model, std::vector<uint8_t>& collapsed, TaskIndex task) {
  if (collapsed.empty()) return false;
  bool any = false;
  size_t steps = 0;
  for (TaskIndex at = model.tasks[task].parent; at < collapsed.size() && steps < collapsed.size();
       at = model.tasks[at].parent, steps++) {
    any = any || collapsed[at] != 0;
    collapsed[at] = 0;
  }
  return any;
}

}  // namespace skein
