#include "trace/ask/closed_connection.h"

#include <string_view>

#include "trace/ask/direction.h"

namespace skein {

namespace {

// A datagram socket may send again after a reset.
bool is_closed_by(std::string_view reason, Direction direction, std::string_view connection) {
  const auto has = [&](std::string_view part) { return reason.find(part) != reason.npos; };
  return direction == Direction::Receives
             ? has("End of file")
             : has("Broken pipe") ||
                   (has("Connection reset") && connection.find("(tcp") != connection.npos);
}

}  // namespace

TaskIndex find_closed(const Trace& trace, const Model& model, TaskIndex operation) {
  const Model::Concern* use = model.concern(operation);
  const Direction direction = direction_of(trace.strings[model.tasks[operation].name]);
  if (use == nullptr || use->object == Model::Object::none || direction == Direction::None)
    return no_index;
  for (uint32_t u = use->before; u != Model::Object::none; u = model.concerns[u].before) {
    const TaskIndex index = model.concerns[u].task;
    const Model::Task& task = model.tasks[index];
    const std::string_view name = trace.strings[task.name];
    if (name.starts_with("socket.async_connect")) return no_index;
    if (direction_of(name) != direction) continue;
    return task.failed() && is_closed_by(trace.strings[task.reason], direction,
                                         trace.strings[model.objects[use->object].connection])
               ? index
               : no_index;
  }
  return no_index;
}

}  // namespace skein
