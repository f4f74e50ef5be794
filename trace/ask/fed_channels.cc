#include "trace/ask/fed_channels.h"

#include <set>

#include "trace/ask/traffic.h"

namespace skein {

std::optional<FedChannel> find_fed_channel(const Subject& subject, TaskIndex operation) {
  const Model& model = subject.model;
  const StringId name = model.tasks[operation].name;
  const Model::Object* channel = used_by(model, operation);
  if (channel == nullptr || channel->pre_existing || subject.trace.info.overwritten_packets != 0 ||
      !subject.trace.strings[name].starts_with("channel."))
    return {};
  FedChannel found;
  std::set<TaskIndex> tasks;
  for (uint32_t u = channel->last_use; u != Model::Object::none; u = model.concerns[u].before) {
    const Model::Task& use = model.tasks[model.concerns[u].task];
    if (use.name == name) continue;
    const Waits::Wait* wait = use.parent == no_index ? nullptr : subject.waits.open(use.parent);
    if (wait == nullptr || wait->on == no_index || model.tasks[wait->on].name != name ||
        used_by(model, wait->on) != channel)
      return {};
    if (tasks.empty()) found.last = model.concerns[u].task;
    tasks.insert(use.parent);
  }
  found.tasks = tasks.size();
  if (tasks.empty()) return {};
  return found;
}

}  // namespace skein
