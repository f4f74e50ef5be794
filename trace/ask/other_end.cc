#include "trace/ask/other_end.h"

#include "trace/ask/direction.h"
#include "trace/ask/task_kinds.h"
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

TaskIndex find_session(const Subject& s, const LastTransfers& socket) {
  constexpr int deepest = 64;  // callers
  const auto is_pending = [&](TaskIndex task) { return task != no_index && s.model.is_open(task); };
  if (is_pending(socket.sends) || is_pending(socket.receives)) return no_index;
  const auto end_of = [&](TaskIndex task) {
    return task == no_index ? 0 : s.model.tasks[task].end;
  };
  const TaskIndex last =
      end_of(socket.sends) > end_of(socket.receives) ? socket.sends : socket.receives;
  const auto has_waited_for = [&](TaskIndex task, TaskIndex callee) {
    for (uint32_t i = s.waits.last_wait[task]; i != Waits::none; i = s.waits.waits[i].before)
      if (s.waits.waits[i].on == callee) return true;
    return false;
  };
  TaskIndex at = last;
  for (int depth = 0; depth < deepest && at != no_index; depth++) {
    if (s.model.is_open(at)) return s.waits.open(at) != nullptr ? at : no_index;
    const TaskIndex caller = s.model.tasks[at].parent;
    const bool is_part =  // of a composed operation
        caller != no_index && kind_class(s.trace, s.model.tasks[caller]) == KindClass::Operation;
    if (caller == no_index || (!is_part && !has_waited_for(caller, at))) return no_index;
    at = caller;
  }
  return no_index;
}

}  // namespace skein
