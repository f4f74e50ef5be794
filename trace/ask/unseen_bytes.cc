#include "trace/ask/unseen_bytes.h"

#include <algorithm>
#include <unordered_map>

#include "base/stable_sort.h"
#include "trace/ask/direction.h"

namespace skein {

namespace {

struct Transfer {
  uint64_t begin = 0;
  uint64_t bytes = 0;       // with those of earlier ones
  bool is_unknown = false;  // it, or an earlier one, may have moved any number
};

// The operations of one direction, by the time when they began.
using Transfers = std::vector<Transfer>;

// How many of these bytes, which were counted at this time, no operation can have moved.
uint64_t certain(uint64_t counted, uint64_t time, const Transfers& transfers) {
  const auto end = std::upper_bound(transfers.begin(), transfers.end(), time,
                                    [](uint64_t at, const Transfer& t) { return at < t.begin; });
  if (end == transfers.begin()) return counted;
  const Transfer& last = *std::prev(end);
  return last.is_unknown ? 0 : counted - std::min(counted, last.bytes);
}

Transfers transfers_of(const Trace& trace, const Model& model, uint32_t object,
                       const std::vector<uint64_t>& moved, Direction direction) {
  Transfers found;
  for (uint32_t u = model.objects[object].last_use; u != Model::Object::none;
       u = model.concerns[u].before) {
    const TaskIndex operation = model.concerns[u].task;
    const Model::Task& task = model.tasks[operation];
    if (direction_of(trace.strings[task.name]) != direction) continue;
    const bool has_ended = task.how == Model::End::Resolved || task.how == Model::End::Failed;
    found.push_back({.begin = task.start,
                     .bytes = moved[operation],
                     .is_unknown = !has_ended && moved[operation] == 0});
  }
  stable_sort_by(found, [](const Transfer& one) { return one.begin; });
  for (size_t i = 1; i < found.size(); i++) {
    found[i].bytes += found[i - 1].bytes;
    found[i].is_unknown |= found[i - 1].is_unknown;
  }
  return found;
}

// Calls may only add to what is unseen, so that what is certain of one reading is so of later ones.
CertainlyUnseen find_certain(const std::vector<const SocketBytesReading*>& readings,
                             const Transfers& sends, const Transfers& receives) {
  CertainlyUnseen found;
  const SocketBytesReading& first = *readings.front();
  found.bytes.sent_before = certain(first.sent, first.time, sends);
  found.bytes.received_before = certain(first.received, first.time, receives);
  const auto more = [](uint64_t now, uint64_t before, uint64_t time, const Transfers& transfers) {
    return static_cast<uint32_t>(
        std::min<uint64_t>(certain(now - std::min(now, before), time, transfers), UINT32_MAX));
  };
  for (const SocketBytesReading* r : readings) {
    found.bytes.sent = std::max(found.bytes.sent, more(r->sent, first.sent, r->time, sends));
    found.bytes.received =
        std::max(found.bytes.received, more(r->received, first.received, r->time, receives));
  }
  found.may_have_received = readings.back()->received != 0;
  return found;
}

}  // namespace

std::vector<std::optional<CertainlyUnseen>> find_unseen(const Trace& trace, const Model& model,
                                                        const std::vector<uint64_t>& moved) {
  std::vector<std::optional<CertainlyUnseen>> found(model.objects.size());
  if (trace.socket_bytes.empty()) return found;
  std::unordered_map<TaskId, uint32_t> objects;
  for (uint32_t i = 0; i < model.objects.size(); i++) objects[model.objects[i].id] = i;
  std::unordered_map<uint32_t, std::vector<const SocketBytesReading*>> by_object;
  for (const SocketBytesReading& reading : trace.socket_bytes) {
    const auto at = objects.find(reading.socket);
    if (at != objects.end() && reading.time <= model.end) by_object[at->second].push_back(&reading);
  }
  for (auto& [object, readings] : by_object) {
    stable_sort_by(readings, [](const auto* one) { return one->time; });
    const Transfers receives = transfers_of(trace, model, object, moved, Direction::Receives);
    found[object] =
        trace.losses.empty()
            ? find_certain(readings, transfers_of(trace, model, object, moved, Direction::Sends),
                           receives)
            : CertainlyUnseen{.may_have_received = true};
  }
  return found;
}

CertainlyUnseen certain_of(const LiveTaskEntry::Traffic& traffic, const Trace& trace,
                           const Model& model, uint32_t object) {
  CertainlyUnseen found{.bytes = *traffic.unseen, .may_have_received = true};
  bool sends = traffic.sent != 0;
  bool receives = traffic.received != 0;
  for (uint32_t u = model.objects[object].last_use; u != Model::Object::none;
       u = model.concerns[u].before) {
    const Direction direction =
        direction_of(trace.strings[model.tasks[model.concerns[u].task].name]);
    sends |= direction == Direction::Sends;
    receives |= direction == Direction::Receives;
  }
  const bool is_lossy = !trace.losses.empty();
  found.may_have_received = found.bytes.received != 0 || found.bytes.received_before != 0;
  if (sends || is_lossy) found.bytes.sent = 0;
  if (receives || is_lossy) found.bytes.received = 0;
  return found;
}

}  // namespace skein
