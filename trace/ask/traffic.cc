#include "trace/ask/traffic.h"

#include <algorithm>

#include "trace/read/connection.h"

namespace skein {

namespace {

enum class Direction { None, Sends, Receives };

Direction direction_of(std::string_view operation) {
  return operation.starts_with("socket.async_send")      ? Direction::Sends
         : operation.starts_with("socket.async_receive") ? Direction::Receives
                                                         : Direction::None;
}

template <class Visit>
void each_io(const Events& events, const Visit& visit) {
  for (size_t begin = 0; begin < events.size(); begin += block_rows) {
    const auto kinds = events.kind.block(begin);
    for (size_t i = 0; i < std::min(block_rows, events.size() - begin); i++)
      if (kinds[i] == EventKind::Io) visit(events.row(begin + i));
  }
}

}  // namespace

std::vector<Traffic> find_traffic(const Trace& trace, const Model& model) {
  std::vector<Traffic> found(model.objects.size());
  each_io(trace.events, [&](const EventRow& event) {
    const auto bytes = static_cast<int64_t>(event.value);
    const TaskIndex task = model.find(event.other);
    if (bytes <= 0 || task == no_index) return;
    const Model::Concern* use = model.concern(task);
    if (use == nullptr || use->object == Model::Object::none) return;
    const Direction direction = direction_of(trace.strings[model.tasks[task].name]);
    Traffic& of = found[use->object];
    if (direction == Direction::Sends) {
      of.sent += event.value;
      of.sent_at = static_cast<int64_t>(event.time);
    } else if (direction == Direction::Receives) {
      of.received += event.value;
      of.received_at = static_cast<int64_t>(event.time);
    }
  });
  for (size_t i = 0; i < found.size(); i++) {
    const LiveTaskEntry* entry = trace.find_live_task(model.objects[i].id);
    if (entry == nullptr || !entry->traffic) continue;
    found[i] = {.sent = entry->traffic->sent,
                .received = entry->traffic->received,
                .sent_at = entry->traffic->sent_at,
                .received_at = entry->traffic->received_at};
  }
  return found;
}

std::vector<uint64_t> find_moved(const Trace& trace, const Model& model) {
  std::vector<uint64_t> moved(model.tasks.size());
  each_io(trace.events, [&](const EventRow& event) {
    const TaskIndex task = model.find(event.other);
    if (task != no_index && static_cast<int64_t>(event.value) > 0) moved[task] = event.value;
  });
  return moved;
}

const Model::Object* used_by(const Model& model, TaskIndex operation) {
  const Model::Concern* use = model.concern(operation);
  return use == nullptr || use->object == Model::Object::none ? nullptr
                                                              : &model.objects[use->object];
}

std::string_view peer_of(const Trace& trace, const Model& model, TaskIndex operation) {
  const Model::Object* socket = used_by(model, operation);
  return socket == nullptr ? std::string_view() : peer_in(trace.strings[socket->connection]);
}

}  // namespace skein
