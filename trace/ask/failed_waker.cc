#include "trace/ask/failed_waker.h"

#include <algorithm>
#include <unordered_set>

namespace skein {

namespace {

constexpr uint64_t fewest_waits = 3;

bool is_like(const Model& model, TaskIndex a, TaskIndex b) {
  return model.tasks[a].name == model.tasks[b].name &&
         model.tasks[a].location == model.tasks[b].location &&
         model.tasks[a].kind == model.tasks[b].kind;
}

// Where the task had awaited last before this time; 0: unknown.
uint32_t last_await(const Waits& waits, TaskIndex task, uint64_t time) {
  for (uint32_t i = waits.last_wait[task]; i != Waits::none; i = waits.waits[i].before)
    if (waits.waits[i].end <= time) return waits.waits[i].location;
  return 0;
}

// The first cancel of the timer while the operation was pending; none: Model::Object::none.
uint32_t first_cancel(const Model& model, TaskIndex operation) {
  const Model::Task& wait = model.tasks[operation];
  const Model::Concern* use = model.concern(operation);
  uint32_t found = Model::Object::none;
  if (use == nullptr || use->object == Model::Object::none) return found;
  for (uint32_t i = model.objects[use->object].last_cancel; i != Model::Object::none;
       i = model.cancels[i].before)
    if (model.cancels[i].time >= wait.start && model.cancels[i].time <= wait.end) found = i;
  return found;
}

}  // namespace

std::optional<FailedWaker> find_failed_waker(const Subject& s, TaskIndex operation) {
  const Model& model = s.model;
  const Model::Task& pending = model.tasks[operation];
  if (pending.location == 0) return {};
  FailedWaker found;
  for (const Model::Concern& use : model.concerns) {
    const Model::Task& task = model.tasks[use.task];
    if (task.name != pending.name || task.location != pending.location ||
        task.how == Model::End::Open || task.pre_existing)
      continue;
    const uint32_t cancel = first_cancel(model, use.task);
    if (cancel == Model::Object::none || model.cancels[cancel].by == no_index) return {};
    const TaskIndex by = model.cancels[cancel].by;
    const uint32_t after = last_await(s.waits, by, model.cancels[cancel].time);
    const bool is_first = found.like == no_index;
    if (after == 0 || (!is_first && (after != found.location || !is_like(model, by, found.like))))
      return {};
    found.like = by;
    found.location = after;
    found.count++;
  }
  if (found.count < fewest_waits) return {};
  std::unordered_set<TaskIndex> cancelled;
  for (const Model::Cancel& cancel : model.cancels) cancelled.insert(cancel.by);
  for (TaskIndex task = 0; task < model.tasks.size(); task++) {
    const Model::Task& one = model.tasks[task];
    if (!one.failed() || !is_like(model, task, found.like) || cancelled.contains(task)) continue;
    if (last_await(s.waits, task, one.end) != found.location) continue;
    found.others += found.failed != no_index;
    if (found.failed == no_index || one.end > model.tasks[found.failed].end) found.failed = task;
  }
  if (found.failed == no_index) return {};
  return found;
}

}  // namespace skein
