#include "trace/model/tasks.h"

namespace skein {

bool other_is_task(EventKind kind, uint64_t value) {
  switch (kind) {
    case EventKind::Create:
    case EventKind::Resume:
    case EventKind::Ready:
    case EventKind::TryRead:
    case EventKind::Resolve:
    case EventKind::Fail:
    case EventKind::Cancel:
    case EventKind::Become:
    case EventKind::Notify:
    case EventKind::ScopeEnter:
    case EventKind::ScopeExit:
    case EventKind::ScopeCancel:
    case EventKind::ScopeMember:
    case EventKind::Io:
      return true;
    case EventKind::Suspend:
    case EventKind::Await:
      return value == 0;
    default:
      return false;
  }
}

TaskTable::TaskTable(const Events& events) : ids_(events) {
  for (size_t i = 0; i < events.size(); i++) {
    const EventKind kind = events.kind[i];
    if (events.other[i] != no_task && other_is_task(kind, events.value[i])) get(events.other[i]);
    if (events.task[i] == no_task) continue;
    Task& task = get(events.task[i]);
    switch (kind) {
      case EventKind::Create:
        if (task.creates < UINT8_MAX) task.creates++;
        if (task.creates == 1) {
          task.kind = static_cast<uint32_t>(events.value[i]);
          task.name = events.text[i];
          task.location = events.location[i];
        }
        break;
      case EventKind::Fail:
        task.failed = true;
        [[fallthrough]];
      case EventKind::Resolve:
      case EventKind::Cancel:
        task.ended = true;
        break;
      case EventKind::Become:
        task.ended = true;
        // From now on the other is this task, and is expected to end if this one was.
        if (task.should_resolve && events.other[i] != no_task)
          get(events.other[i]).should_resolve = true;
        break;
      case EventKind::ScopeEnter:
      case EventKind::ScopeExit:
        if (events.other[i] == no_task) break;
        if (Task& scope = get(events.other[i]); kind == EventKind::ScopeExit)
          scope.ended = true;
        else if (scope.creates < UINT8_MAX)
          scope.creates++;
        break;
      case EventKind::Label:
        if (task.label == 0) task.label = events.text[i];
        break;
      case EventKind::ShouldResolve:
        task.should_resolve = true;
        break;
      default:
        break;
    }
  }
}

const TaskTable::Task* TaskTable::find(TaskId id) const {
  const uint32_t index = ids_.find(id);
  return index == IdMap::none ? nullptr : &all_[index];
}

TaskTable::Task& TaskTable::get(TaskId id) {
  uint32_t& index = ids_[id];
  if (index == IdMap::none) {
    index = static_cast<uint32_t>(all_.size());
    all_.push_back({.id = id});
  }
  return all_[index];
}

}  // namespace skein
