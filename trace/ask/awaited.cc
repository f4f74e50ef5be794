#include "trace/ask/awaited.h"

#include "trace/read/event_schema.h"

namespace skein {

AwaitedObjects::AwaitedObjects(const Trace& trace, const Model& model) {
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
    if (const TaskIndex task = model.find(entry.id); entry.awaited_object != 0 && task != no_index)
      pending_.try_emplace(task, Pending{entry.awaited_object, entry.awaited_type, entry.at});
  for (const auto& [task, pending] : pending_) objects_[pending.address].waiters++;
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
  return AwaitedObjectWait{.address = wait.address,
                           .type = wait.type,
                           .others = object.waiters - 1,
                           .last = object.last,
                           .last_at = object.last_at,
                           .last_location = object.last_location};
}

}  // namespace skein
