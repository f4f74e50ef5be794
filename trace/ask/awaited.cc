#include "trace/ask/awaited.h"

#include <algorithm>
#include <utility>

#include "trace/read/event_schema.h"

namespace skein {

AwaitedObjects::AwaitedObjects(const Trace& trace, const Model& model) : trace_(trace) {
  auto next = trace.awaited_objects.begin();
  const auto end = trace.awaited_objects.end();
  const Events& events = trace.events;
  for (size_t i = next == end ? model.events : next->event; i < model.events; i++) {
    const Effect effect = event_schema(events.kind[i]).effect;
    const bool is_known = next != end && next->event == i;
    if (!is_known && (effect == Effect::None || pending_.empty())) continue;
    const EventRow event = events.row(i);
    const TaskIndex task = model.find(event.task);
    if (effect == Effect::Runs) {
      if (const auto found = pending_.find(task); found != pending_.end()) {
        pass(task, found->second.address, event.time, found->second.location);
        pending_.erase(found);
      }
    } else if (effect != Effect::None) {
      pending_.erase(task);
    }
    if (!is_known) continue;
    const AwaitedObject& object = *next++;
    if (task == no_index) continue;
    if (effect == Effect::Suspends)
      pending_[task] = {object.address, object.type, event.location};
    else
      pass(task, object.address, event.time, event.location);
  }
  for (const LiveTaskEntry& entry : trace.live_tasks)
    if (const TaskIndex task = model.find(entry.id); task != no_index) add_live_task(task, entry);
  std::erase_if(pending_, [&](const auto& one) { return !model.is_open(one.first); });
  for (const auto& [task, pending] : pending_) add_waiter(pending);
}

// A thread that has overwritten it may have ended the wait that another thread has kept: the table
// has the task's last state.
void AwaitedObjects::add_live_task(TaskIndex task, const LiveTaskEntry& entry) {
  const bool is_later = entry.since < static_cast<int64_t>(trace_.info.complete_from);
  const auto found = pending_.find(task);
  if (entry.awaited_object != 0) {
    if (is_later || found == pending_.end())
      pending_[task] = {entry.awaited_object, entry.awaited_type, entry.at};
  } else if (found != pending_.end() && is_later && entry.at != found->second.location) {
    pending_.erase(found);
  }
}

// Keeps the first location of each of the two first functions, whatever the order of the waiters.
void AwaitedObjects::add_waiter(const Pending& pending) {
  Object& object = objects_[pending.address];
  object.waiters++;
  if (pending.location == 0) return;
  const auto function_of = [&](uint32_t location) { return trace_.locations[location].function; };
  auto& [first, second] = object.locations;
  uint32_t next = pending.location;
  if (first == 0 || function_of(next) == function_of(first)) {
    first = first == 0 ? next : std::min(first, next);
    return;
  }
  if (function_of(next) < function_of(first)) std::swap(first, next);
  if (second == 0 || function_of(next) < function_of(second))
    second = next;
  else if (function_of(next) == function_of(second))
    second = std::min(second, next);
}

void AwaitedObjects::pass(TaskIndex task, uint64_t address, uint64_t time, uint32_t location) {
  Object& object = objects_[address];
  object.last = task;
  object.last_at = time;
  object.last_location = location;
}

std::optional<AwaitedObjectWait> AwaitedObjects::of(TaskIndex task) const {
  const auto found = pending_.find(task);
  if (found == pending_.end()) return {};
  const Pending& wait = found->second;
  const Object& object = objects_.at(wait.address);
  const auto& [first, second] = object.locations;
  const bool is_first =
      trace_.locations[wait.location].function == trace_.locations[first].function;
  const uint32_t other = second == 0 ? 0 : is_first ? second : first;
  return AwaitedObjectWait{.address = wait.address,
                           .type = wait.type,
                           .others = object.waiters - 1,
                           .other_location = other,
                           .last = object.last,
                           .last_at = object.last_at,
                           .last_location = object.last_location};
}

}  // namespace skein
