// The part of ModelBuilder that adds what a ring has overwritten: Trace::live_tasks. See "A ring"
// in docs/model.md.
//
// The table describes the time at which the trace was read, the events all the time before. It is
// therefore used after all events, and only for facts that no event contains.
#include <algorithm>

#include "base/stable_sort.h"
#include "trace/model/builder.h"

namespace skein {

// Runs before the first event, so that a wait for a resource is not taken for one for a task.
void ModelBuilder::add_live_resources() {
  for (const LiveTaskEntry& entry : trace_.live_tasks) {
    if (entry.state != LiveTaskEntry::State::Resource) continue;
    if (entry.kind < objects_.size() && objects_[entry.kind]) {
      Object& object = model_.objects[add_object(entry.id, 0)];
      object.name = entry.name;
      object.kind = entry.kind;
      object.connection = entry.connection;
      object.descriptor = entry.descriptor;
      object.pre_existing = true;
      continue;
    }
    model_.ids[entry.id] = resource_mark | static_cast<uint32_t>(resources_.size());
    resources_.push_back({.start = 0,
                          .maker = no_index,
                          .kind = entry.kind,
                          .location = entry.location,
                          .executor = entry.executor,
                          .pre_existing = true});
  }
}

// no_index if the id has no bar.
TaskIndex ModelBuilder::known_task(TaskId id) {
  const uint32_t index = id == no_task ? IdMap::none : model_.ids.find(id);
  return index < resource_mark ? self_of(index) : no_index;
}

void ModelBuilder::add_live_tasks() {
  if (trace_.live_tasks.empty()) return;
  const auto last = static_cast<int64_t>(std::min<uint64_t>(now_, INT64_MAX));
  for (const LiveTaskEntry& entry : trace_.live_tasks)  // a resource with a waiter has a bar
    if (entry.state == LiveTaskEntry::State::Suspended && entry.on != no_task)
      if (const uint32_t on = model_.ids.find(entry.on); on >= resource_mark && on < object_mark)
        resource_task(entry.on);
  for (const LiveTaskEntry& entry : trace_.live_tasks) {
    TaskIndex task = model_.ids.find(entry.id);
    if (task == IdMap::none) {
      const bool is_new = entry.state == LiveTaskEntry::State::Created;
      if (is_new && entry.since > last) continue;  // created after the last event
      task = add(entry.id, is_new && entry.since > 0 ? static_cast<uint64_t>(entry.since) : 0);
      Task& added = model_.tasks[task];
      added.end = added.start;
      added.pre_existing = true;
      added.executor = entry.executor & executor_mask;
    } else if (task >= resource_mark) {
      if (is_object(task)) continue;
      if (entry.name == 0 || !resources_[task - resource_mark].pre_existing) continue;
      task = resource_task(entry.id);
    }
    describe(model_.tasks[task], entry);
  }
  for (const LiveTaskEntry& entry : trace_.live_tasks) {
    const uint32_t index = model_.ids.find(entry.id);
    if (index >= resource_mark) continue;
    Task& task = model_.tasks[index];
    if (!task.pre_existing || task.parent != no_index) continue;
    if (const TaskIndex parent = known_task(entry.parent); parent != index) task.parent = parent;
    task.starts_late = task.start == 0 && task.parent != no_index;
  }
  add_live_uses(last);
  add_live_waits(last);
}

// Adds what pending operations use, and who last cancelled the uses of an object.
void ModelBuilder::add_live_uses(int64_t last) {
  std::vector<bool> known(model_.tasks.size());
  for (const Model::Concern& concern : model_.concerns) known[concern.task] = true;
  for (const LiveTaskEntry& entry : trace_.live_tasks) {
    const TaskIndex task = known_task(entry.id);
    if (entry.state == LiveTaskEntry::State::Created && task != no_index && !known[task] &&
        (entry.on != no_task || entry.expires)) {
      const int64_t expires = entry.expires.value_or(0);
      model_.concerns.push_back(
          {.task = task,
           .object = object(entry.on),
           .expires = expires == INT64_MAX ? Object::never
                                           : static_cast<uint64_t>(std::max<int64_t>(expires, 0))});
    }
    if (entry.cancelled_by == no_task || entry.since > last) continue;
    const uint32_t index = model_.ids.find(entry.id);
    if (!is_object(index)) continue;
    Object& of = model_.objects[index & ~object_mark];
    if (of.last_cancel != Object::none) continue;
    of.last_cancel = static_cast<uint32_t>(model_.cancels.size());
    model_.cancels.push_back({.time = static_cast<uint64_t>(std::max<int64_t>(entry.since, 0)),
                              .object = index & ~object_mark,
                              .by = known_task(entry.cancelled_by)});
  }
}

// Events take precedence, but they contain nothing about the time before a pre-existing task's
// first event.
void ModelBuilder::describe(Task& task, const LiveTaskEntry& entry) {
  if (task.pre_existing) {
    if (task.kind == UINT32_MAX) task.kind = entry.kind;
    if (task.name == 0) task.name = entry.name;
    if (task.location == 0) task.location = entry.location;
    if (entry.label != 0) task.label = entry.label;  // its first
    if (entry.state == LiveTaskEntry::State::Resource) task.is_resource = true;
    if (entry.kind < scopes_.size() && scopes_[entry.kind]) task.is_scope = true;
  }
  if (task.how != End::Open) return;
  if (entry.should_resolve) task.should_resolve = true;
  task.end = std::max(task.end, trace_.info.complete_from);  // rule 5: it is live
}

// Adds the waits that began after the last event of their task.
void ModelBuilder::add_live_waits(int64_t last) {
  // When the task last ran, and when it last began a recorded wait.
  std::vector<int64_t> ran(model_.tasks.size(), INT64_MIN);
  std::vector<int64_t> began(model_.tasks.size(), INT64_MIN);
  const auto time_of = [](uint64_t time) {
    return static_cast<int64_t>(std::min<uint64_t>(time, INT64_MAX));
  };
  for (const Model::Activation& activation : model_.activations)
    ran[activation.task] = time_of(activation.start);
  for (const Interaction& arrow : model_.interactions)
    if (arrow.link == Link::Await && arrow.from < began.size())
      began[arrow.from] = time_of(arrow.to_time);
  std::vector<Interaction> waits;
  for (const LiveTaskEntry& entry : trace_.live_tasks) {
    if (entry.state != LiveTaskEntry::State::Suspended || entry.since > last) continue;
    const TaskIndex task = known_task(entry.id);
    const TaskIndex on = known_task(entry.on);
    if (task == no_index || on == no_index || task == on || !is_open(task) || !is_open(on))
      continue;
    if (ran[task] > entry.since || began[task] >= entry.since) continue;
    Interaction wait;
    wait.from_time = static_cast<uint64_t>(std::max<int64_t>(entry.since, 0)) & time_mask;
    wait.link = Link::Await;
    wait.to_time = wait.from_time;
    wait.from = task;
    wait.to = on;
    waits.push_back(wait);
  }
  if (waits.empty()) return;
  waits.insert(waits.end(), model_.interactions.begin(), model_.interactions.end());
  stable_sort_by(waits, [](const auto& wait) { return wait.to_time; });
  model_.interactions = std::move(waits);
}

// The recorder writes a row for every task when it is created and clears the row when it ends. A
// task that began before all streams are complete and has no row has therefore ended, and its end
// is overwritten. Exceptions, because rows may be unreadable: tasks that act later, and the targets
// of live tasks.
void ModelBuilder::add_overwritten_ends() {
  if (mirage_ || (trace_.info.overwritten_packets == 0 && trace_.live_tasks.empty())) return;
  const uint64_t complete_from = trace_.info.complete_from;
  std::vector<bool> lives(model_.tasks.size());
  const auto mark = [&](TaskId id) {
    if (const TaskIndex task = known_task(id); task != no_index) lives[task] = true;
  };
  for (const LiveTaskEntry& entry : trace_.live_tasks) {
    mark(entry.id);
    if (entry.state == LiveTaskEntry::State::Suspended) mark(entry.on);
  }
  const auto has_ended = [&](TaskIndex task) {
    const Task& t = model_.tasks[task];
    return is_open(task) && !lives[task] && (t.pre_existing || t.start < complete_from);
  };
  bool any_later = false;
  for (TaskIndex task = 0; task < model_.tasks.size(); task++)
    any_later = any_later || (has_ended(task) && model_.tasks[task].end >= complete_from);
  if (any_later)
    for (size_t i = model_.events; i-- > 0 && events_.time[i] >= complete_from;) {
      mark(events_.task[i]);
      const TaskIndex other = known_task(events_.other[i]);
      if (other != no_index && model_.tasks[other].is_resource) lives[other] = true;
    }
  for (TaskIndex task = 0; task < model_.tasks.size(); task++)
    if (has_ended(task)) model_.tasks[task].how = End::Overwritten;
}

}  // namespace skein
