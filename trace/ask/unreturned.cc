#include "trace/ask/unreturned.h"
#include "base/stable_sort.h"

#include <algorithm>
#include <set>

namespace skein {

namespace {

bool is_same_function(const Model& model, TaskIndex a, TaskIndex b) {
  return model.tasks[a].name == model.tasks[b].name &&
         model.tasks[a].location == model.tasks[b].location &&
         model.tasks[a].kind == model.tasks[b].kind;
}

// Whether the task has waited for a call of the function of `callee`, which has ended.
bool has_called(const Subject& s, TaskIndex task, TaskIndex callee) {
  for (uint32_t i = s.waits.last_wait[task]; i != Waits::none; i = s.waits.waits[i].before) {
    const Waits::Wait& wait = s.waits.waits[i];
    if (wait.on != no_index && is_same_function(s.model, wait.on, callee) &&
        s.model.tasks[wait.on].how == Model::End::Resolved)
      return true;
  }
  return false;
}

}  // namespace

std::optional<Unreturned> find_unreturned(const Subject& s, TaskIndex operation,
                                          const std::vector<TaskIndex>& callers) {
  constexpr uint64_t fewest = 5;
  const Model& model = s.model;
  const Model::Concern* use = model.concern(operation);
  if (use == nullptr || use->object == Model::Object::none ||
      model.objects[use->object].pre_existing)
    return {};
  Unreturned found;
  std::set<TaskIndex> cancelled;
  for (uint32_t i = model.objects[use->object].last_cancel; i != Model::Object::none;
       i = model.cancels[i].before) {
    const TaskIndex by = model.cancels[i].by;
    if (by == no_index) return {};
    if (found.like == no_index) found.like = by;
    cancelled.insert(by);
  }
  if (found.like == no_index) return {};
  size_t caller = 0;  // of the function
  while (caller < callers.size() && !is_same_function(model, callers[caller], found.like)) caller++;
  if (caller + 1 >= callers.size()) return {};  // it calls nothing that waits
  for (TaskIndex task = 0; task < model.tasks.size(); task++) {
    const Model::Task& one = model.tasks[task];
    if (one.how == Model::End::Open || !is_same_function(model, task, found.like)) continue;
    if (one.pre_existing || one.how == Model::End::Overwritten || one.how == Model::End::Became)
      return {};
    if (cancelled.count(task) != 0)
      found.count++;
    else if (has_called(s, task, callers[caller + 1]))
      found.without.push_back(task);
    else
      return {};
  }
  if (found.count < fewest || found.without.empty() ||
      found.without.size() > (found.count + found.without.size()) / 4)
    return {};
  stable_sort_by(found.without, [&](TaskIndex task) { return model.tasks[task].end; });
  return found;
}

}  // namespace skein
