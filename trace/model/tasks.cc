#include "trace/model/tasks.h"

#include <algorithm>

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
  for (size_t begin = 0; begin < events.size(); begin += block_rows) add_block(events, begin);
}

void TaskTable::add_block(const Events& events, size_t begin) {
  const auto kinds = events.kind.block(begin);
  const auto tasks = events.task.block(begin);
  const auto others = events.other.block(begin);
  const auto values = events.value.block(begin);
  for (size_t row = 0; row < std::min(block_rows, events.size() - begin); row++) {
    const size_t i = begin + row;
    const EventKind kind = kinds[row];
    const TaskId other = others[row];
    if (other != no_task && other_is_task(kind, values[row])) get(other);
    if (tasks[row] == no_task) continue;
    Task& task = get(tasks[row]);
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
        if (task.should_resolve && other != no_task) get(other).should_resolve = true;
        break;
      case EventKind::ScopeEnter:
      case EventKind::ScopeExit:
        if (other == no_task) break;
        if (Task& scope = get(other); kind == EventKind::ScopeExit)
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
