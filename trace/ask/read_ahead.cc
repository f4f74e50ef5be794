#include "trace/ask/read_ahead.h"

#include "trace/ask/direction.h"

namespace skein {

std::optional<ReadAhead> find_read_ahead(const Subject& s, TaskIndex waiter, TaskIndex receive,
                                         const std::vector<uint64_t>& moved) {
  const Model::Concern* use = s.model.concern(receive);
  const Model::Task& pending = s.model.tasks[receive];
  if (use == nullptr || use->object == Model::Object::none || pending.parent != waiter) return {};
  ReadAhead found;
  size_t same = 0;
  size_t other = 0;
  for (uint32_t u = use->before; u != Model::Object::none; u = s.model.concerns[u].before) {
    const TaskIndex operation = s.model.concerns[u].task;
    const Model::Task& task = s.model.tasks[operation];
    if (direction_of(s.trace.strings[task.name]) != Direction::Receives) continue;
    if (found.receive == no_index) {
      if (task.parent != waiter || task.location == pending.location || task.failed() ||
          moved[operation] == 0)
        return {};
      found = {.receive = operation, .bytes = moved[operation]};
    } else if (task.location == s.model.tasks[found.receive].location) {
      (moved[operation] == found.bytes ? same : other)++;
    }
  }
  if (found.receive == no_index || (same != 0 && other == 0)) return {};
  return found;
}

}  // namespace skein
