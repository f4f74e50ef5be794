// The part of ModelBuilder that maps ids to tasks and handles their start, become and end: rules 1,
// 2 and 8 of docs/model.md.
#include <algorithm>

#include "trace/model/builder.h"

namespace skein {

TaskIndex ModelBuilder::add(TaskId id, uint64_t start) {
  const auto index = static_cast<TaskIndex>(model_.tasks.size());
  Task& task = model_.tasks.emplace_back();
  task.id = id;
  task.start = start;
  task.end = now_;
  task.executor = executor_ & executor_mask;
  pass_states_.push_back({});
  if (mirage_)
    beginnings_.push_back({});
  else
    woken_.push_back(no_index);
  model_.ids[id] = index;
  return index;
}

// Rule 1: a task without a create event exists since the start. A resource gets its bar when a task
// waits for it.
TaskIndex ModelBuilder::add_unknown(TaskId id) {
  const uint32_t index = model_.ids[id];
  if (index != IdMap::none && !is_object(index)) return resource_task(id);
  const TaskIndex task = add(id, 0);
  model_.tasks[task].pre_existing = true;
  return task;
}

TaskIndex ModelBuilder::resource_task(TaskId id) {
  const uint32_t index = id == no_task ? IdMap::none : model_.ids[id];
  if (index >= resource_mark && index < object_mark) {
    const Resource& resource = resources_[index - resource_mark];
    const TaskIndex task = add(id, resource.start);
    Task& made = model_.tasks[task];
    made.parent = resource.maker;
    made.kind = resource.kind;
    made.location = resource.location;
    made.executor = resource.executor & executor_mask;
    made.is_resource = true;
    made.pre_existing = resource.pre_existing;
    if (made.pre_existing) made.end = made.start;
    return task;
  }
  const TaskIndex task = get(id);
  if (task != no_index) model_.tasks[task].is_resource = true;
  return task;
}

TaskIndex ModelBuilder::get_unless_resource(TaskId id) {
  const uint32_t index = id == no_task ? IdMap::none : model_.ids[id];
  return index >= resource_mark && index != IdMap::none ? no_index : get(id);
}

TaskIndex ModelBuilder::last_self(TaskIndex task) {
  TaskIndex last = task;
  while (pass_states_[last].self != no_index) last = pass_states_[last].self;
  while (task != last) task = std::exchange(pass_states_[task].self, last);
  return last;
}

// The first create of an id that already occurred (in another stream, whose clock is slightly
// ahead) belongs to that task; any other create makes a new task.
void ModelBuilder::create(const EventRow& event) {
  const TaskId id = event.task;
  if (id == no_task) return;
  const TaskIndex parent = event.other == id ? no_index : get(event.other);
  touch(parent);
  TaskIndex task = model_.ids[id];
  const bool known = task < resource_mark && model_.tasks[task].pre_existing && is_open(task);
  if (!known) task = add(id, now_);
  Task& made = model_.tasks[task];
  made.pre_existing = false;
  made.start = known && !mirage_ ? std::min(made.start, now_) : now_;
  made.end = now_;
  made.parent = parent;
  made.kind = static_cast<uint32_t>(std::min<uint64_t>(event.value, UINT32_MAX));
  made.name = event.text;
  made.location = event.location;
  // A step of a composed operation is where the program started it, not where Asio continues it.
  if (parent != no_index && is_internal(event.location) && model_.tasks[parent].location != 0)
    made.location = model_.tasks[parent].location;
  made.executor = executor_ & executor_mask;
  if (!about_.empty()) add_concern(task);
}

// Later events of the old id apply to the successor. A task cannot become itself, so there is
// always a last successor.
void ModelBuilder::become(const EventRow& event) {
  const TaskIndex task = get(event.task);
  const TaskIndex other = get(event.other);
  touch(other);
  if (task == no_index || other == no_index || task == other || !is_open(task)) return;
  Task& old = model_.tasks[task];
  old.end = now_;
  old.how = End::Became;
  old.becomes = other;
  pass_states_[task].self = other;
  if (old.should_resolve) model_.tasks[other].should_resolve = true;
  if (executors_.current(executor_) != task) return;
  if (mirage_)
    executors_.run(executor_, other, now_);
  else
    executors_.stop(executor_, now_);
}

// Rule 8: if another executor read the result slightly before the end event, the task ended at the
// read, whatever the clocks say. Later events of the task on its own clock still count.
uint64_t ModelBuilder::end_time(TaskIndex task) const {
  const uint32_t index = early_.find(task);
  if (index == IdMap::none) return now_;
  const EarlyRead& read = early_reads_[index];
  if (read.executor == executor_ || now_ - read.time > clock_error) return now_;
  return std::max(read.time, model_.tasks[task].end);
}

void ModelBuilder::end(const EventRow& event, End how) {
  if (!model_.objects.empty() && event.task != no_task)
    if (const uint32_t index = model_.ids.find(event.task); is_object(index))
      return end_object(index & ~object_mark, get(event.other));
  const TaskIndex task = get_unless_resource(event.task);
  if (task == no_index) return;
  const TaskIndex resolver = get(event.other);
  const uint64_t time = end_time(task);
  touch(resolver);
  if (is_open(task)) {
    if (resolver != no_index && resolver != task && !model_.tasks[task].is_resource)
      link(Link::Resolve, resolver, task, now_, resolver);
    Task& ended = model_.tasks[task];
    ended.end = time;
    ended.how = how;
    if (how != End::Resolved) ended.reason = event.text;
  }
  if (!mirage_ && executors_.current(executor_) == task) executors_.stop(executor_, now_);
}

void ModelBuilder::switch_to(const EventRow& event) {
  if (const TaskIndex task = act(event.task); task != no_index)
    executors_.run(executor_, task, now_);
}

void ModelBuilder::label(const EventRow& event) {
  const TaskIndex task = act(event.task);
  if (task == no_index) return;
  const StringId text = event.text;
  if (model_.tasks[task].label == 0) model_.tasks[task].label = text;
  model_.labels.push_back({.time = now_, .task = task, .text = text});
}

void ModelBuilder::should_resolve(const EventRow& event) {
  if (const TaskIndex task = get(event.task); task != no_index)
    model_.tasks[task].should_resolve = true;
}

void ModelBuilder::discard(const EventRow& event) {
  if (const TaskIndex task = get(event.task); task != no_index)
    model_.tasks[task].is_discarded = true;
}

}  // namespace skein
