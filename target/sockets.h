// The TCP sockets of a running process, as the kernel describes them (sock_diag).
//
//   for (const SocketState& socket : socket_states("4711")) print(socket.unread);
//
// The process must be in the network namespace of the caller, and the caller must be allowed to
// list its descriptors. Sockets for which that does not hold are missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skein {

struct SocketState {
  // As in linux/tcp_states.h.
  enum Tcp : uint8_t { Established = 1, SynSent = 2, CloseWait = 8 };

  uint64_t descriptor = 0;
  uint8_t tcp = 0;
  uint16_t local_port = 0;
  uint16_t peer_port = 0;
  std::string peer = {};  // "127.0.0.1:5432", "[::1]:80"
  std::string local = {};  // the same of this end: what the other end has as `peer`
  // A socket listens at that port in this network namespace, of whatever process: a port that a
  // client gets from the kernel is none of these.
  bool is_local_port_listening = false;
  bool is_peer_port_listening = false;
  // Nothing was ever sent on it, and coroutines of the process wait to receive at both ends: set by
  // frames/silent_connections.h.
  bool is_silent = false;
  uint64_t unread = 0;    // bytes that have arrived and that the process has not read
  uint64_t unacked = 0;   // bytes that the process has sent and the peer has not acknowledged
  uint64_t sent = 0;      // bytes since the connection was made
  uint64_t received = 0;  // the same, with the unread ones
  uint64_t sent_ago = 0;  // ns, of the last segment with data; retransmissions count
  uint64_t received_ago = 0;
  bool has_counts = false;  // sent, received and their ages are known
};

// Those that do not listen, by descriptor. O(descriptors + TCP sockets of the machine).
std::vector<SocketState> socket_states(const std::string& pid);

}  // namespace skein
