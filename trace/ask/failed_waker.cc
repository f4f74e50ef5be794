#include "trace/ask/failed_waker.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace skein {

namespace {

constexpr uint64_t fewest_cancelled = 3;
constexpr int most_later_waits = 1000;  // that a task began after the one to find

bool is_like(const Model& model, TaskIndex a, TaskIndex b) {
  return model.tasks[a].name == model.tasks[b].name &&
         model.tasks[a].location == model.tasks[b].location &&
         model.tasks[a].kind == model.tasks[b].kind;
}

// Where the task had awaited last before this time; 0: unknown, or that is long ago.
uint32_t last_await(const Waits& waits, TaskIndex task, uint64_t time) {
  int left = most_later_waits;
  for (uint32_t i = waits.last_wait[task]; i != Waits::none && left-- > 0;
       i = waits.waits[i].before)
    if (waits.waits[i].end <= time) return waits.waits[i].location;
  return 0;
}

using CancelsOf = std::unordered_map<uint32_t, std::vector<uint32_t>>;  // by object, in time

// The first cancel of the timer while the operation was pending; none: Model::Object::none.
uint32_t first_cancel(const Model& model, const CancelsOf& cancels, const Model::Concern& use) {
  const Model::Task& wait = model.tasks[use.task];
  const auto of_timer = cancels.find(use.object);
  if (of_timer == cancels.end()) return Model::Object::none;
  const auto first =
      std::lower_bound(of_timer->second.begin(), of_timer->second.end(), wait.start,
                       [&](uint32_t i, uint64_t start) { return model.cancels[i].time < start; });
  if (first == of_timer->second.end() || model.cancels[*first].time > wait.end)
    return Model::Object::none;
  return *first;
}

}  // namespace

std::optional<FailedWaker> find_failed_waker(const Subject& s, TaskIndex operation) {
  const Model& model = s.model;
  const Model::Task& pending = model.tasks[operation];
  if (pending.location == 0) return {};
  CancelsOf cancels;
  for (uint32_t i = 0; i < model.cancels.size(); i++) cancels[model.cancels[i].object].push_back(i);
  FailedWaker found;
  for (const Model::Concern& use : model.concerns) {
    const Model::Task& task = model.tasks[use.task];
    if (task.name != pending.name || task.location != pending.location ||
        task.how == Model::End::Open || task.pre_existing)
      continue;
    const uint32_t cancel = first_cancel(model, cancels, use);
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
  if (found.count < fewest_cancelled) return {};
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
