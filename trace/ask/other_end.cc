#include "trace/ask/other_end.h"

#include "trace/ask/direction.h"
#include "trace/read/connection.h"

namespace skein {

OtherEnds::OtherEnds(const Trace& trace, const Model& model)
    : trace_(trace), model_(model), last_(model.objects.size()) {
  for (uint32_t i = 0; i < model.objects.size(); i++)
    if (model.objects[i].connection != 0)
      by_connection_.insert_or_assign(trace.strings[model.objects[i].connection], i);
  for (const Model::Concern& use : model.concerns) {  // in the order of time
    if (use.object == Model::Object::none) continue;
    const Direction direction = direction_of(trace.strings[model.tasks[use.task].name]);
    if (direction == Direction::Sends) last_[use.object].sends = use.task;
    if (direction == Direction::Receives) last_[use.object].receives = use.task;
  }
}

std::optional<BothEnds> OtherEnds::find(uint32_t socket) const {
  const std::string reversed =
      connection_of_peer(trace_.strings[model_.objects[socket].connection]);
  const auto at = by_connection_.find(reversed);
  if (reversed.empty() || at == by_connection_.end() || at->second == socket) return {};
  if (model_.objects[at->second].end != Model::Object::never) return {};
  return BothEnds{.own = last_[socket], .other = last_[at->second], .object = at->second};
}

}  // namespace skein
