#include "cli/output/awaited_text.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace skein::cli {

namespace {

using Kind = AsioObject::Kind;

std::string timers_text(const Unprepared& of, const std::vector<uint32_t>& timers) {
  size_t never = 0;
  std::vector<int64_t> left;
  for (const uint32_t i : timers) {
    const AsioObject& timer = of.found.objects[i];
    if (never_expires(timer))
      never++;
    else if (const auto time = left_of(timer, of.around))
      left.push_back(*time);
  }
  std::string text;
  if (never != 0)
    text += never == timers.size() ? ", which never expires"
                                   : ", " + grouped(never) + " of which never expire";
  if (left.empty()) return text;
  const auto [first, last] = std::minmax_element(left.begin(), left.end());
  const auto in = [](int64_t ns) { return duration_text(static_cast<uint64_t>(ns)); };
  text += (never == 0 ? ", expires in " : ", the others in ") + in(*first);
  if (in(*first) != in(*last)) text += " to " + in(*last);
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

}  // namespace

std::string objects_text(const Unprepared& of, const std::vector<uint32_t>& objects) {
  if (objects.empty()) return "";
  switch (of.found.objects[objects.front()].kind) {
    case Kind::Timer:
      return timers_text(of, objects);
    case Kind::Socket:
    case Kind::Descriptor:
      return sockets_text(of, objects);
    case Kind::Signals:
    case Kind::Resolver:
      break;
  }
  return "";
}

Json object_json(const Unprepared& of, const SuspendedCoroutine& coroutine) {
  if (coroutine.object == SuspendedCoroutine::none) return {};
  const AsioObject& object = of.found.objects[coroutine.object];
  constexpr const char* kinds[] = {"timer", "socket", "descriptor", "signal set", "resolver"};
  Json json = Json::object(
      {{"kind", kinds[static_cast<size_t>(object.kind)]}, {"address", object.address}});
  if (object.kind == Kind::Timer) {
    const std::optional<int64_t> left = left_of(object, of.around);
    json.set("never_expires", never_expires(object));
    json.set("left_ns", left ? Json(*left) : Json());
  }
  if (object.descriptor >= 0) json.set("descriptor", int64_t{object.descriptor});
  if (const SocketState* socket = socket_of(object, of.around)) {
    json.set("peer", socket->peer);
    json.set("unread", socket->unread);
    json.set("unacknowledged", socket->unacked);
  }
  return json;
}

}  // namespace skein::cli
