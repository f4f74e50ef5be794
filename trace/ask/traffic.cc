#include "trace/ask/traffic.h"

#include <algorithm>

#include "trace/ask/direction.h"
#include "trace/ask/unseen_bytes.h"
#include "trace/read/connection.h"

namespace skein {

namespace {

template <class Visit>
void each_io(const Events& events, size_t end, const Visit& visit) {
  for (size_t begin = 0; begin < end; begin += block_rows) {
    const auto kinds = events.kind.block(begin);
    for (size_t i = 0; i < std::min(block_rows, end - begin); i++)
      if (kinds[i] == EventKind::Io) visit(events.row(begin + i));
  }
}

}  // namespace

bool Traffic::awaits_reply() const {
  if (sent_at > received_at) return true;
  // Calls that no hook sees have sent, and nothing was ever received.
  return unseen && received == 0 && !may_have_received &&
         (unseen->sent_before != 0 || unseen->sent != 0);
}

std::vector<Traffic> find_traffic(const Trace& trace, const Model& model) {
  std::vector<Traffic> found(model.objects.size());
  each_io(trace.events, model.events, [&](const EventRow& event) {
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
  const auto add_unseen = [&](Traffic& of, const CertainlyUnseen& unseen) {
    of.unseen = unseen.bytes;
    of.may_have_received = unseen.may_have_received;
  };
  if (trace.info.overwritten_packets == 0 && !trace.socket_bytes.empty()) {
    const auto unseen = find_unseen(trace, model, find_moved(trace, model));
    for (size_t i = 0; i < found.size(); i++)
      if (unseen[i]) add_unseen(found[i], *unseen[i]);
  }
  for (uint32_t i = 0; i < found.size(); i++) {
    const LiveTaskEntry* entry = trace.find_live_task(model.objects[i].id);
    if (entry == nullptr || !entry->traffic) continue;
    found[i] = {.sent = entry->traffic->sent,
                .received = entry->traffic->received,
                .sent_at = entry->traffic->sent_at,
                .received_at = entry->traffic->received_at};
    if (entry->traffic->unseen) add_unseen(found[i], certain_of(*entry->traffic, trace, model, i));
  }
  return found;
}

std::vector<uint64_t> find_moved(const Trace& trace, const Model& model) {
  std::vector<uint64_t> moved(model.tasks.size());
  each_io(trace.events, model.events, [&](const EventRow& event) {
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
