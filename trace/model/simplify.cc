#include "trace/model/simplify.h"

#include <algorithm>

namespace skein {

void simplify_binds(Model& model, const std::vector<Beginnings>& beginnings,
                    const std::vector<bool>& binds) {
  for (TaskIndex index = 0; index < model.tasks.size(); index++) {
    Model::Task& task = model.tasks[index];
    if (task.kind >= binds.size() || !binds[task.kind] || task.pre_existing) continue;
    const auto [acted, tried] = beginnings[index];
    if (acted >= model.interactions.size() || tried <= acted) continue;
    const Model::Interaction& read = model.interactions[acted];
    if (read.link != Model::Link::Read && read.link != Model::Link::ReadFailure) continue;
    if (task.parent != no_index && model.tasks[task.parent].becomes == index) continue;
    if (task.how != Model::End::Open && task.end < read.to_time) continue;
    task.start = read.to_time;
    task.parent = read.from;
    task.starts_late = true;
  }
}

void end_open_tasks(Model& model, uint64_t ends_known_from) {
  constexpr uint64_t arrow_head = 1000;
  for (Model::Task& task : model.tasks) {
    if (task.how == Model::End::Overwritten) task.end += arrow_head;
    if (task.how != Model::End::Open) continue;
    const bool alive = task.end >= ends_known_from;
    task.end += arrow_head;
    if (task.is_unresolved())
      task.end = model.end;
    else if (alive)
      task.end = std::max(task.end, model.end);
  }
}

// Every cycle has a task that does not start after its parent, so the search starts only at such
// tasks. No task is visited twice.
void break_parent_cycles(Model& model) {
  std::vector<TaskIndex> seen_from;
  for (TaskIndex first = 0; first < model.tasks.size(); first++) {
    const Model::Task& task = model.tasks[first];
    if (task.parent == no_index) continue;
    const uint64_t parent_start = model.tasks[task.parent].start;
    if (parent_start < task.start || (parent_start == task.start && task.parent < first)) continue;
    if (seen_from.empty()) seen_from.resize(model.tasks.size(), no_index);
    TaskIndex last = no_index;
    TaskIndex at = first;
    while (at != no_index && seen_from[at] == no_index) {
      seen_from[at] = first;
      last = at;
      at = model.tasks[at].parent;
    }
    if (at != no_index && seen_from[at] == first && last != no_index)
      model.tasks[last].parent = no_index;
  }
}

}  // namespace skein
