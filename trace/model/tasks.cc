#include "trace/model/tasks.h"

#include <algorithm>
#include <utility>

namespace skein {

namespace {

constexpr size_t run =
    4;  // ids that stay together when hashed: as many as are in a few cache lines

// The largest id; no_task counts as none.
uint64_t largest_id(const Events& events) {
  uint64_t largest = 0;
  for (size_t begin = 0; begin < events.size(); begin += block_rows) {
    const auto task = events.task.block(begin);
    const auto other = events.other.block(begin);
    for (size_t i = 0; i < std::min(block_rows, events.size() - begin); i++) {
      // no_task is the largest number of all; one more makes it 0.
      largest = std::max(largest, task[i] + 1);
      largest = std::max(largest, other[i] + 1);
    }
  }
  return largest == 0 ? 0 : largest - 1;
}

uint64_t mix(uint64_t number) {
  number = (number ^ (number >> 32)) * 0x9E3779B97F4A7C15;
  number = (number ^ (number >> 29)) * 0xBF58476D1CE4E5B9;
  return number ^ (number >> 32);
}

}  // namespace

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

// Where the table lies in memory differs from run to run, so nobody can prepare a trace whose ids
// all collide. Results do not depend on it.
TaskTable::TaskTable(const Events& events)
    : slots_(1024), seed_(mix(reinterpret_cast<uintptr_t>(slots_.data()))) {
  const uint64_t largest = largest_id(events);
  if (largest / 4 <= events.size() + 256) {
    dense_ = true;
    slots_.resize(std::max<size_t>(1024, static_cast<size_t>(largest) + 1));
  }
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

size_t TaskTable::slot_of(TaskId id) const {
  if (dense_) return std::min<size_t>(static_cast<size_t>(id), slots_.size() - 1);
  const size_t mask = slots_.size() - 1;
  size_t slot = (mix((id / run) ^ seed_) * run + id % run) & mask;
  while (slots_[slot].id != id && slots_[slot].id != no_task) slot = (slot + 1) & mask;
  return slot;
}

const TaskTable::Task* TaskTable::find(TaskId id) const {
  if (id == no_task) return nullptr;
  const Task& task = slots_[slot_of(id)];
  return task.id == id ? &task : nullptr;
}

TaskTable::Task& TaskTable::get(TaskId id) {
  size_t slot = slot_of(id);
  if (slots_[slot].id == no_task) {
    size_++;
    if (!dense_ && size_ * 2 > slots_.size()) {
      grow();
      slot = slot_of(id);
    }
    slots_[slot].id = id;
  }
  return slots_[slot];
}

void TaskTable::grow() {
  std::vector<Task> old(slots_.size() * 2);
  std::swap(old, slots_);
  for (const Task& task : old)
    if (task.id != no_task) slots_[slot_of(task.id)] = task;
}

}  // namespace skein
