// TCP connections of which the process has both ends, and on each of them a coroutine waits to
// receive: unless something sends on one, neither goes on.
//
//   for (const SilentConnection& one : silent_connections(receiving)) print(one.a->local,
//   one.a->peer);
#pragma once

#include <vector>

#include "frames/chains.h"
#include "frames/suspended_coroutines.h"
#include "frames/verdict.h"
#include "target/sockets.h"

namespace skein {

struct SilentConnection {
  const SocketState* a = nullptr;  // the end with the lower descriptor
  const SocketState* b = nullptr;
};

// Whether it waits for bytes of Asio's sockets.
bool waits_to_receive(const CoroutineChain& chain);

// `receiving`: the ends on which coroutines wait to receive, each once. Without connections on
// which bytes are under way. By a's descriptor. O(receiving * log receiving).
std::vector<SilentConnection> silent_connections(const std::vector<const SocketState*>& receiving);

// Sets SocketState::is_silent. O(coroutines * log sockets).
void mark_silent_sockets(const SuspendedCoroutines& found, Surroundings& around);

}  // namespace skein
