#include "trace/model/tasks.h"

#include <algorithm>

#include "trace/read/event_schema.h"

namespace skein {

TaskRegistry::TaskRegistry(const Events& events) : ids_(events) {
  for (size_t begin = 0; begin < events.size(); begin += block_rows) add_block(events, begin);
}

TaskRegistry::TaskRegistry(const Trace& trace) : TaskRegistry(trace.events) {
  const Events& events = trace.events;
  const uint64_t last = events.empty() ? 0 : events.time[events.size() - 1];
  for (const LiveTaskEntry& entry : trace.live_tasks) {
    if (entry.state == LiveTaskEntry::State::Resource) continue;
    const bool is_new = entry.state == LiveTaskEntry::State::Created && entry.since > 0 &&
                        static_cast<uint64_t>(entry.since) > last;
    if (is_new && ids_.find(entry.id) == IdMap::none) continue;
    Task& task = get(entry.id);
    if (task.creates > 0) continue;
    task.kind = entry.kind;
    task.name = entry.name;
    task.location = entry.location;
    if (entry.label != 0) task.label = entry.label;
  }
}

void TaskRegistry::add_block(const Events& events, size_t begin) {
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
    const EventSchema& schema = event_schema(kind);
    Task& task = get(tasks[row]);
    if (schema.effect == Effect::Creates) {
      if (task.creates < UINT8_MAX) task.creates++;
      if (task.creates > 1) continue;
      if (schema.value.role == ValueRole::Kind) task.kind = static_cast<uint32_t>(values[row]);
      if (schema.text == TextRole::Name) task.name = events.text[i];
      task.location = events.location[i];
    } else if (schema.text == TextRole::Label && task.label == 0) {
      task.label = events.text[i];
    }
  }
}

const TaskRegistry::Task* TaskRegistry::find(TaskId id) const {
  const uint32_t index = ids_.find(id);
  return index == IdMap::none ? nullptr : &all_[index];
}

TaskRegistry::Task& TaskRegistry::get(TaskId id) {
  uint32_t& index = ids_[id];
  if (index == IdMap::none) {
    index = static_cast<uint32_t>(all_.size());
    all_.push_back({.id = id});
  }
  return all_[index];
}

}  // namespace skein
