#include "frames/silent_connections.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace skein {

namespace {

bool receives(std::string_view operation) {
  return operation.starts_with("async_receive") || operation.starts_with("async_read");
}

}  // namespace

bool waits_to_receive(const CoroutineChain& chain) { return receives(chain.operation); }

std::vector<SilentConnection> silent_connections(const std::vector<const SocketState*>& receiving) {
  // All sockets that a server has accepted have the same local address.
  using Ends = std::pair<std::string_view, std::string_view>;
  std::map<Ends, const SocketState*> by_ends;
  for (const SocketState* one : receiving)
    if (one->tcp == SocketState::Established && one->unread == 0 && one->unacked == 0)
      by_ends.emplace(Ends(one->local, one->peer), one);
  std::vector<SilentConnection> connections;
  for (const auto& [ends, one] : by_ends) {
    const auto other = by_ends.find(Ends(ends.second, ends.first));
    if (other != by_ends.end() && one->descriptor < other->second->descriptor)
      connections.push_back({.a = one, .b = other->second});
  }
  std::sort(connections.begin(), connections.end(),
            [](const SilentConnection& one, const SilentConnection& other) {
              return one.a->descriptor < other.a->descriptor;
            });
  return connections;
}

void mark_silent_sockets(const SuspendedCoroutines& found, Surroundings& around) {
  std::vector<const SocketState*> receiving;
  for (const SuspendedCoroutine& one : found.coroutines) {
    if (one.object == SuspendedCoroutine::none ||
        !receives(found.functions[one.function].operation))
      continue;
    const SocketState* socket = socket_of(found.objects[one.object], around);
    if (socket != nullptr && socket->has_counts && socket->sent == 0 && socket->received == 0)
      receiving.push_back(socket);
  }
  for (const SilentConnection& one : silent_connections(receiving))
    for (const SocketState* end : {one.a, one.b})
      around.sockets[static_cast<size_t>(end - around.sockets.data())].is_silent = true;
}

}  // namespace skein
