#include "trace/ask/read_ahead.h"

#include <map>

#include "trace/ask/direction.h"

namespace skein {

std::optional<ReadAhead> find_read_ahead(const Subject& s, TaskIndex waiter, TaskIndex receive,
                                         const std::vector<uint64_t>& moved) {
  const Model::Concern* use = s.model.concern(receive);
  const Model::Task& pending = s.model.tasks[receive];
  if (use == nullptr || use->object == Model::Object::none || pending.parent != waiter) return {};
  ReadAhead found;
  struct Sizes {
    uint64_t bytes = 0;
    size_t count = 0;
    bool varies = false;
  };
  std::map<uint32_t, Sizes> sizes;  // by location
  for (uint32_t u = use->before; u != Model::Object::none; u = s.model.concerns[u].before) {
    const TaskIndex operation = s.model.concerns[u].task;
    const Model::Task& task = s.model.tasks[operation];
    if (direction_of(s.trace.strings[task.name]) != Direction::Receives) continue;
    if (found.receive == no_index) {
      if (task.parent != waiter || task.location == pending.location || task.failed() ||
          moved[operation] == 0)
        return {};
      found = {.receive = operation, .bytes = moved[operation]};
    }
    if (task.location == pending.location) continue;
    Sizes& of = sizes[task.location];
    if (of.count++ == 0) of.bytes = moved[operation];
    of.varies |= moved[operation] != of.bytes;
  }
  if (found.receive == no_index) return {};
  for (const auto& [location, of] : sizes)
    if (of.count > 1 && !of.varies) return {};
  return found;
}

}  // namespace skein
