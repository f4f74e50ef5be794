#include "cli/output/awaited_text.h"

#include <algorithm>
#include <set>

#include "base/escape.h"
#include "base/text.h"
#include "frames/asio_groups.h"

namespace skein::cli {

namespace {

using Kind = AsioObject::Kind;

std::string length_text(int64_t ns) { return duration_text(static_cast<uint64_t>(ns)); }
std::string date_text(int64_t ns) { return utc_text(ns, 1'000'000'000); }

// "1.20 s to 3.40 s"
template <typename Text>
std::string range_text(const std::vector<int64_t>& times, const Text& text) {
  const auto [first, last] = std::minmax_element(times.begin(), times.end());
  const std::string begin = text(*first);
  return begin == text(*last) ? begin : begin + " to " + text(*last);
}

// ", 2 of which have expired"; empty: none.
std::string part_text(size_t count, const char* one, const char* several) {
  return count == 0 ? "" : ", " + grouped(count) + " of which " + (count == 1 ? one : several);
}

std::string timers_text(const Unprepared& of, const std::vector<uint32_t>& timers) {
  size_t never = 0;
  std::vector<int64_t> ago;  // ns since they expired
  std::vector<int64_t> left;
  std::vector<int64_t> steady;  // of a core, in which no clock is
  std::vector<int64_t> system;
  for (const uint32_t i : timers) {
    const AsioObject& timer = of.found.objects[i];
    const std::optional<int64_t> time = left_of(timer, of.around);
    if (never_expires(timer))
      never++;
    else if (time)
      *time > 0 ? left.push_back(*time) : ago.push_back(-std::max(*time, -INT64_MAX));
    else if (timer.clock == AsioObject::Clock::Steady && timer.expires >= 0)
      steady.push_back(timer.expires);
    else if (timer.clock == AsioObject::Clock::System && timer.expires >= 0)
      system.push_back(timer.expires);
  }
  if (never == timers.size()) return ", which never expires";
  if (ago.size() == timers.size()) return ", expired " + range_text(ago, length_text) + " ago";
  std::string text = part_text(never, "never expires", "never expire") +
                     part_text(ago.size(), "has expired", "have expired");
  const size_t others = timers.size() - never - ago.size();
  const char* verb = others == timers.size() ? ", expires "
                     : others == 1           ? ", the other "
                                             : ", the others ";
  if (!left.empty()) {
    // The clock was read before the memory: a timer that is set again and again has less left.
    const int64_t most = *std::max_element(left.begin(), left.end());
    if (most / 10 < of.around.reading_ns) return text + verb + "within " + length_text(most);
    return text + verb + "in " + range_text(left, length_text);
  }
  if (!steady.empty())
    text += verb + ("when the steady clock shows " + range_text(steady, length_text));
  if (!system.empty())
    text += (steady.empty() ? verb : ", or ") + ("at " + range_text(system, date_text));
  return text;
}

std::string sockets_text(const Unprepared& of, const std::vector<uint32_t>& sockets) {
  std::set<std::string> peers;
  uint64_t unread = 0;
  uint64_t unacked = 0;
  for (const uint32_t i : sockets)
    if (const SocketState* socket = socket_of(of.found.objects[i], of.around)) {
      peers.insert(socket->peer);
      unread += socket->unread;
      unacked += socket->unacked;
    }
  const int32_t descriptor = of.found.objects[sockets.front()].descriptor;
  if (peers.empty())
    return sockets.size() == 1 && descriptor >= 0 ? ", descriptor " + std::to_string(descriptor)
                                                  : "";
  std::string text = ", peer " + *peers.begin();
  if (peers.size() > 1) text += " and " + counted(peers.size() - 1, "other");
  if (unread != 0) text += ", " + counted(unread, "byte") + " unread";
  if (unacked != 0) text += ", " + counted(unacked, "byte") + " not acknowledged";
  return text;
}

std::string channels_text(const Unprepared& of, const std::vector<uint32_t>& channels) {
  std::set<uint64_t> addresses;
  for (const uint32_t i : channels) addresses.insert(of.found.objects[i].address);
  if (addresses.size() > 1) return grouped(addresses.size()) + " channels";
  return "the channel at " + address_text(*addresses.begin());
}

}  // namespace

std::string line_text(const SuspendedCoroutines::Place& place) {
  if (place.line == 0) return "";
  // npos + 1 == 0
  return escaped(place.file.substr(place.file.rfind('/') + 1)) + ':' + std::to_string(place.line);
}

std::string objects_text(const Unprepared& of, const std::vector<uint32_t>& objects) {
  if (objects.empty()) return "";
  switch (of.found.objects[objects.front()].kind) {
    case Kind::Timer:
      return timers_text(of, objects);
    case Kind::Socket:
    case Kind::Descriptor:
      return sockets_text(of, objects);
    case Kind::Channel:
      return " of " + channels_text(of, objects);
    case Kind::Signals:
    case Kind::Resolver:
      break;
  }
  return "";
}

std::string unnamed_objects_text(const Unprepared& of, const std::vector<uint32_t>& objects) {
  const Kind kind = of.found.objects[objects.front()].kind;
  if (kind == Kind::Channel) return channels_text(of, objects);
  return "a " + std::string(name(kind)) + objects_text(of, objects);
}

Json object_json(const Unprepared& of, const SuspendedCoroutine& coroutine) {
  if (coroutine.object == SuspendedCoroutine::none) return {};
  const AsioObject& object = of.found.objects[coroutine.object];
  Json json = Json::object({{"kind", std::string(name(object.kind))}, {"address", object.address}});
  if (object.kind == Kind::Timer) {
    const std::optional<int64_t> left = left_of(object, of.around);
    json.set("never_expires", never_expires(object));
    json.set("left_ns", left ? Json(*left) : Json());
    const bool is_known = object.clock != AsioObject::Clock::Other && !never_expires(object);
    json.set("expires_ns", is_known ? Json(object.expires) : Json());
    json.set("clock", object.clock == AsioObject::Clock::Steady   ? Json("steady")
                      : object.clock == AsioObject::Clock::System ? Json("system")
                                                                  : Json());
  }
  if (object.descriptor >= 0) json.set("descriptor", int64_t{object.descriptor});
  if (const SocketState* socket = socket_of(object, of.around)) {
    json.set("peer", socket->peer);
    json.set("unread", socket->unread);
    json.set("unacknowledged", socket->unacked);
  }
  return json;
}

namespace {

std::string children_text(const SuspendedCoroutines& found, const CoroutineChain& chain) {
  const WaitObject& object = found.awaited[found.coroutines[chain.steps.back()].awaited];
  const bool is_first = is_of_first(object);
  const bool is_group = object.type == asio_group;
  if (chain.count > 1)
    return is_first   ? "the first of several coroutines each"
           : is_group ? "a group of operations each"
                      : "several coroutines each (when_all)";
  uint64_t all = 0;
  uint64_t open = 0;
  for (const SuspendedCoroutine& one : found.coroutines) {
    if (one.joined_by == SuspendedCoroutine::none) continue;
    // The operands of libcoro's when_any are joined by its controller.
    const uint32_t parent =
        object.type == libcoro_when_any ? found.coroutines[one.joined_by].joined_by : one.joined_by;
    if (parent != chain.steps.back()) continue;
    all++;
    if (one.state != SuspendedCoroutine::State::Final) open++;
  }
  if (is_first) return "the first of " + counted(all, "coroutine");
  if (is_group) return "a group of operations with " + counted(all, "coroutine");
  return (open == all ? "" : grouped(open) + " of ") + counted(all, "coroutine") + " (when_all)";
}

const char* verb(WaitObject::Certainty certainty) {
  switch (certainty) {
    case WaitObject::Certainty::Certain:
      return ", held by ";
    case WaitObject::Certainty::Probable:
      return ", probably held by ";
    case WaitObject::Certainty::Perhaps:
      break;
  }
  return ", perhaps held by ";
}

std::string holders_text(const SuspendedCoroutines& found, const WaitObject& object,
                         const CoroutineChain& chain) {
  const uint32_t waiter = chain.steps.back();
  std::string text;
  for (const WaitObject::Holder& holder : object.holders) {
    const SuspendedCoroutine& one = found.coroutines[holder.coroutine];
    text += text.empty() ? verb(holder.certainty) : " or ";
    if (holder.coroutine == waiter && chain.count == 1) {
      text += "itself";
      continue;
    }
    if (found.coroutines[waiter].function == one.function) text += "another ";
    text += escaped(found.functions[one.function].name);
    if (const std::string line = line_text(found.places[one.place]); !line.empty())
      text += " (" + line + ')';
  }
  return text;
}

}  // namespace

std::string awaited_text(const Unprepared& of, const CoroutineChain& chain) {
  const SuspendedCoroutines& found = of.found;
  const SuspendedCoroutine& last = found.coroutines[chain.steps.back()];
  const WaitObject& object = found.awaited[last.awaited];
  if (object.kind == WaitObject::Kind::WhenAll) return children_text(found, chain);
  const std::string& awaiter = found.places[last.place].awaiter;
  std::string text;
  // An object that does not lead back may be something else that the awaiter uses.
  if (!object.is_linked && !awaiter.empty()) text = escaped(awaiter) + ", with ";
  if (!object.type.empty())
    text += escaped(object.type);
  else
    text += awaiter.empty() ? "an object" : escaped(awaiter);
  // The object is not known of all of them.
  if (chain.with_awaited < chain.count) return text;
  if (chain.awaited.size() > 1) return text + ", " + grouped(chain.awaited.size()) + " objects";
  return text + " at " + address_text(object.address) + holders_text(found, object, chain);
}

Json frame_json(const SuspendedCoroutines& found, uint32_t coroutine) {
  if (coroutine == SuspendedCoroutine::none) return {};
  return found.coroutines[coroutine].frame;
}

Json awaited_address(const SuspendedCoroutines& found, const SuspendedCoroutine& coroutine) {
  if (coroutine.awaited == SuspendedCoroutine::none) return {};
  return found.awaited[coroutine.awaited].address;
}

Json awaited_objects_json(const SuspendedCoroutines& found) {
  Json all = Json::array();
  for (const WaitObject& one : found.awaited) {
    Json waiters = Json::array();
    for (const uint32_t waiter : one.waiters) waiters.add(found.coroutines[waiter].frame);
    Json holders = Json::array();
    for (const WaitObject::Holder& holder : one.holders)
      holders.add(Json::object({{"frame", found.coroutines[holder.coroutine].frame},
                                {"certain", holder.is_certain()},
                                {"probable", holder.certainty != WaitObject::Certainty::Perhaps}}));
    all.add(Json::object({{"address", one.address},
                          {"type", or_null(one.type)},
                          {"kind", or_null(std::string(name(one.kind)))},
                          {"linked", one.is_linked},
                          {"waiters", std::move(waiters)},
                          {"holders", std::move(holders)}}));
  }
  return all;
}

}  // namespace skein::cli
