// The part of ModelBuilder for events that only skein traces have: resources, scopes, spans.
#include <algorithm>

#include "trace/model/builder.h"

namespace skein {

void ModelBuilder::resource(const EventRow& event) {
  const TaskId id = event.other;
  if (id == no_task) return;
  const TaskIndex maker = get(event.task);
  touch(maker);
  const uint32_t known = model_.ids[id];
  const bool is_live = known >= resource_mark && known < object_mark &&
                       resources_[known - resource_mark].pre_existing;  // in the task table
  if (known != IdMap::none && !is_live && !is_object(known))
    return;  // an id used twice, or a wait came first
  const auto kind = static_cast<uint32_t>(std::min<uint64_t>(event.value, UINT32_MAX));
  if (kind < objects_.size() && objects_[kind]) {
    Object& made = model_.objects[is_object(known) ? known & ~object_mark : add_object(id, now_)];
    made.maker = maker;
    made.name = event.text;
    made.kind = kind;
    return;
  }
  if (is_object(known)) return;  // an id used twice
  model_.ids[id] = resource_mark | static_cast<uint32_t>(resources_.size());
  resources_.push_back({.start = now_,
                        .maker = maker,
                        .kind = kind,
                        .location = event.location,
                        .executor = executor_});
  if (event.text != 0) model_.tasks[resource_task(id)].name = event.text;
}

// Describes the next operation that the executor creates, whatever its parent is.
void ModelBuilder::about(const EventRow& event) {
  touch(get(event.task));
  about_.resize(std::max(about_.size(), size_t{executor_} + 1));
  About& next = about_[executor_];
  if (event.kind == EventKind::About)
    next.resource = event.other;
  else
    next.expires = event.value < Object::never - now_ ? now_ + event.value : Object::never;
}

void ModelBuilder::add_concern(TaskIndex task) {
  if (executor_ >= about_.size()) return;
  const About about = std::exchange(about_[executor_], {});
  if (about.resource == no_task && about.expires == 0) return;
  const uint32_t used = object(about.resource);
  model_.concerns.push_back({.task = task, .object = used, .expires = about.expires});
}

uint32_t ModelBuilder::add_object(TaskId id, uint64_t start) {
  const auto index = static_cast<uint32_t>(model_.objects.size());
  model_.ids[id] = object_mark | index;
  model_.objects.push_back({.id = id, .start = start});
  return index;
}

// The object with this id; one that the trace does not contain exists since the start. none for
// the id of something else.
uint32_t ModelBuilder::object(TaskId id) {
  if (id == no_task) return Object::none;
  const uint32_t known = model_.ids[id];
  if (is_object(known)) return known & ~object_mark;
  if (known != IdMap::none) return Object::none;
  const uint32_t added = add_object(id, 0);
  model_.objects[added].pre_existing = true;
  return added;
}

void ModelBuilder::cancel_uses(const EventRow& event) {
  const TaskIndex by = act(event.task);
  const uint32_t target = object(event.other);
  if (target == Object::none) return;
  Object& of = model_.objects[target];
  const auto index = static_cast<uint32_t>(model_.cancels.size());
  model_.cancels.push_back(
      {.time = now_, .object = target, .by = by, .before = std::exchange(of.last_cancel, index)});
}

void ModelBuilder::connection(const EventRow& event) {
  touch(get(event.task));
  const uint32_t of = object(event.other);
  if (of == Object::none) return;
  model_.objects[of].connection = event.text;
  model_.objects[of].descriptor = event.value;
}

void ModelBuilder::end_object(uint32_t object, TaskIndex by) {
  touch(by);
  model_.objects[object].end = now_;
  model_.objects[object].ended_by = by;
}

void ModelBuilder::hold(const EventRow& event) {
  touch(get(event.task));
  touch(get_unless_resource(event.other));
}

void ModelBuilder::scope(const EventRow& event) {
  const TaskIndex task = get(event.task);
  const TaskId id = event.other;
  if (id == no_task) return;
  touch(task);
  const EventKind kind = event.kind;
  const bool is_new = kind == EventKind::ScopeEnter && model_.ids[id] == IdMap::none;
  const TaskIndex index = is_new ? add(id, now_) : get(id);
  Task& scope = model_.tasks[index];
  scope.is_scope = true;
  if (is_new) {
    scope.parent = task;
    scope.name = event.text;
    scope.location = event.location;
  }
  if (kind == EventKind::ScopeCancel && scope.how == End::Open) {
    // It remains until it is exited.
    if (task != no_index && task != index) link(Link::Notify, task, index, now_, task);
    scope.how = End::Cancelled;
    scope.end = now_;
  } else if (kind == EventKind::ScopeExit &&
             (scope.how == End::Open || scope.how == End::Cancelled)) {
    if (scope.how == End::Open) scope.how = End::Resolved;
    scope.end = now_;
  } else {
    touch(index);
  }
}

void ModelBuilder::member(const EventRow& event) {
  const TaskIndex task = get(event.task);
  const TaskIndex scope = get(event.other);
  touch(task);
  touch(scope);
  if (scope == no_index) return;
  model_.tasks[scope].is_scope = true;
  if (task != no_index && task != scope) model_.tasks[task].parent = scope;
}

void ModelBuilder::span_begin(const EventRow& event) {
  const TaskIndex task = get(event.task);
  touch(task);
  if (const uint64_t number = event.value; number != no_task)
    open_spans_[number] = static_cast<uint32_t>(model_.spans.size());
  // An open span has the end UINT64_MAX; finish() sets it.
  model_.spans.push_back({.start = now_, .end = UINT64_MAX, .task = task, .name = event.text});
}

void ModelBuilder::span_end(const EventRow& event) {
  const TaskIndex task = get(event.task);
  touch(task);
  const uint64_t number = event.value;
  const uint32_t open = open_spans_.find(number);
  if (open == IdMap::none) {  // the span began before the trace
    model_.spans.push_back({.start = 0, .end = now_, .task = task, .name = event.text});
    return;
  }
  model_.spans[open].end = now_;
  open_spans_[number] = IdMap::none;
}

}  // namespace skein
