#include "trace/ask/moved_deadline.h"

#include <algorithm>

namespace skein {

std::optional<MovedDeadline> find_moved_deadline(const Subject& subject, const Diagnosis& d) {
  constexpr uint64_t fewest = 3;
  const Model& model = subject.model;
  const Model::Concern* use = model.concern(d.chain.back().task);
  if (use == nullptr || use->expires == 0 || use->object == Model::Object::none) return {};
  const Model::Task& operation = model.tasks[use->task];
  MovedDeadline found{.cancel = model.objects[use->object].last_cancel};
  for (uint32_t u = use->before; u != Model::Object::none; u = model.concerns[u].before) {
    const Model::Concern& earlier = model.concerns[u];
    const Model::Task& task = model.tasks[earlier.task];
    if (task.name != operation.name || task.location != operation.location ||
        task.how == Model::End::Resolved || task.end >= earlier.expires)
      break;
    found.count++;
  }
  if (found.count < fewest || found.cancel == Model::Object::none) return {};
  const TaskIndex by = model.cancels[found.cancel].by;
  const bool is_own = std::any_of(d.chain.begin(), d.chain.end(),
                                  [&](const Diagnosis::Step& step) { return step.task == by; });
  if (by == no_index || is_own) return {};
  return found;
}

}  // namespace skein
