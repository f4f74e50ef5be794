#include "trace/ask/ended_relay.h"

#include "trace/ask/direction.h"

namespace skein {

namespace {

// The last receive of the task.
TaskIndex last_receive(const Subject& s, TaskIndex by) {
  for (size_t u = s.model.concerns.size(); u-- > 0;) {
    const TaskIndex operation = s.model.concerns[u].task;
    if (s.model.tasks[operation].parent == by &&
        direction_of(s.trace.strings[s.model.tasks[operation].name]) == Direction::Receives)
      return operation;
  }
  return no_index;
}

}  // namespace

std::optional<EndedRelay> find_ended_relay(const Subject& s, TaskIndex waiter, TaskIndex receive) {
  const Model::Concern* use = s.model.concern(receive);
  const TaskIndex creator = s.model.tasks[waiter].parent;
  if (use == nullptr || use->object == Model::Object::none || creator == no_index) return {};
  for (uint32_t u = s.model.objects[use->object].last_use; u != Model::Object::none;
       u = s.model.concerns[u].before) {
    const TaskIndex operation = s.model.concerns[u].task;
    const TaskIndex by = s.model.tasks[operation].parent;
    if (direction_of(s.trace.strings[s.model.tasks[operation].name]) != Direction::Sends ||
        by == no_index || by == waiter || s.model.tasks[by].parent != creator)
      continue;
    if (s.model.tasks[by].how != Model::End::Resolved) return {};
    const TaskIndex last = last_receive(s, by);
    if (last == no_index) return {};
    const Model::Task& ended = s.model.tasks[last];
    const Model::Concern* other = s.model.concern(last);
    if (other->object == use->object || !ended.failed() ||
        s.trace.strings[ended.reason].find("End of file") == std::string_view::npos)
      return {};
    return EndedRelay{.task = by, .receive = last};
  }
  return {};
}

}  // namespace skein
