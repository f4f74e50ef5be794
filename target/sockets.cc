// Rejected: a request for one socket by its addresses. It misses sockets that are connecting, whose
// addresses the trace does not have, and finds another's in a different network namespace.
#include "target/sockets.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <span>

#include "base/stable_sort.h"
#include "target/living_process.h"

namespace skein {

namespace {

using ByInode = std::map<uint32_t, uint64_t>;  // to descriptors
using Ports = std::set<uint16_t>;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

ByInode inodes_of(const std::string& pid) {
  ByInode found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(process_folder(pid) + "/fd", error)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    unsigned inode = 0;
    if (!error && std::sscanf(target.c_str(), "socket:[%u]", &inode) == 1)
      found[inode] = std::strtoull(entry.path().filename().c_str(), nullptr, 10);
  }
  return found;
}

std::string address_text(uint8_t family, const void* address, uint16_t port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (inet_ntop(family, address, text.data(), text.size()) == nullptr) return "";
  std::string_view plain = text.data();
  constexpr std::string_view mapped = "::ffff:";
  if (plain.starts_with(mapped) && plain.find('.') != plain.npos)
    plain.remove_prefix(mapped.size());
  const bool is_v6 = plain.find(':') != plain.npos;
  return (is_v6 ? "[" : "") + std::string(plain) + (is_v6 ? "]:" : ":") + std::to_string(port);
}

// Offsets in struct tcp_info; the end may be missing in an older kernel. The headers of Linux and
// of the C library exclude each other.
void add_counts(std::span<const char> info, SocketState& socket) {
  const auto read = [&]<typename T>(size_t offset, T& value) {
    std::memcpy(&value, info.data() + offset, sizeof value);
  };
  constexpr size_t retransmitted_at = 208;
  if (info.size() < retransmitted_at + sizeof(uint64_t)) return;
  uint32_t sent_ago, received_ago, not_sent;
  uint64_t received, sent, retransmitted;
  read(44, sent_ago);
  read(52, received_ago);
  read(128, received);
  read(144, not_sent);
  read(200, sent);
  read(retransmitted_at, retransmitted);
  constexpr uint64_t ms = 1'000'000;
  socket.sent_ago = sent_ago * ms;
  socket.received_ago = received_ago * ms;
  // A FIN counts as a byte: the peer's in `received`, ours in `not_sent` while data is before it.
  const auto is = [&](auto... states) { return ((socket.tcp == states) || ...); };
  const bool peer_closed = is(6, 8, 9, 11);           // TIME_WAIT, CLOSE_WAIT, LAST_ACK, CLOSING
  const bool closes = not_sent != 0 && is(4, 9, 11);  // FIN_WAIT1, LAST_ACK, CLOSING
  socket.sent = sent - retransmitted + not_sent - closes;
  socket.received = received - (peer_closed && received != 0);
  if (peer_closed && socket.unread != 0) socket.unread--;
  socket.has_counts = true;
}

constexpr uint8_t listen_state = 10;  // linux/tcp_states.h

void add_socket(std::span<const char> message, const ByInode& wanted,
                std::vector<SocketState>& found, Ports& listening) {
  inet_diag_msg head;
  if (message.size() < sizeof head) return;
  std::memcpy(&head, message.data(), sizeof head);
  if (head.idiag_state == listen_state) {
    listening.insert(ntohs(head.id.idiag_sport));
    return;
  }
  const auto inode = wanted.find(head.idiag_inode);
  if (inode == wanted.end()) return;
  SocketState& socket = found.emplace_back();
  socket.descriptor = inode->second;
  socket.tcp = head.idiag_state;
  socket.local_port = ntohs(head.id.idiag_sport);
  socket.peer_port = ntohs(head.id.idiag_dport);
  socket.peer = address_text(head.idiag_family, head.id.idiag_dst, socket.peer_port);
  socket.local = address_text(head.idiag_family, head.id.idiag_src, socket.local_port);
  socket.unread = head.idiag_rqueue;
  socket.unacked = head.idiag_wqueue;
  for (message = message.subspan(sizeof head); message.size() >= sizeof(nlattr);) {
    nlattr attribute;
    std::memcpy(&attribute, message.data(), sizeof attribute);
    const size_t size = attribute.nla_len;
    if (size < sizeof attribute || size > message.size()) break;
    if (attribute.nla_type == INET_DIAG_INFO)
      add_counts(message.subspan(sizeof attribute, size - sizeof attribute), socket);
    message = message.subspan(std::min(message.size(), NLA_ALIGN(size)));
  }
}

bool request(int netlink, uint8_t family) {
  struct {
    nlmsghdr head;
    inet_diag_req_v2 body;
  } ask{};
  ask.head.nlmsg_len = sizeof ask;
  ask.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  ask.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  ask.body.sdiag_family = family;
  ask.body.sdiag_protocol = IPPROTO_TCP;
  ask.body.idiag_ext = 1 << (INET_DIAG_INFO - 1);
  ask.body.idiag_states = ~0u;
  return send(netlink, &ask, sizeof ask, 0) == static_cast<ssize_t>(sizeof ask);
}

// Reads the answers to a request, until the last or an error.
void receive(int netlink, const ByInode& wanted, std::vector<SocketState>& found,
             Ports& listening) {
  std::vector<char> buffer(size_t{64} << 10);
  while (true) {
    const ssize_t size = recv(netlink, buffer.data(), buffer.size(), 0);
    if (size <= 0) return;
    std::span<const char> rest(buffer.data(), static_cast<size_t>(size));
    while (rest.size() >= sizeof(nlmsghdr)) {
      nlmsghdr head;
      std::memcpy(&head, rest.data(), sizeof head);
      if (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR) return;
      if (head.nlmsg_len < sizeof head || head.nlmsg_len > rest.size()) return;
      add_socket(rest.subspan(sizeof head, head.nlmsg_len - sizeof head), wanted, found,
                 listening);
      rest = rest.subspan(std::min<size_t>(rest.size(), NLMSG_ALIGN(head.nlmsg_len)));
    }
  }
}

}  // namespace

std::vector<SocketState> socket_states(const std::string& pid) {
  std::vector<SocketState> found;
  const ByInode wanted = inodes_of(pid);
  if (wanted.empty()) return found;
  const Descriptor netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (netlink.get() < 0) return found;
  Ports listening;
  for (const uint8_t family : {uint8_t{AF_INET}, uint8_t{AF_INET6}})
    if (request(netlink.get(), family)) receive(netlink.get(), wanted, found, listening);
  for (SocketState& one : found) {
    one.is_local_port_listening = listening.contains(one.local_port);
    one.is_peer_port_listening = listening.contains(one.peer_port);
  }
  stable_sort_by(found, [](const SocketState& socket) { return socket.descriptor; });
  return found;
}

}  // namespace skein
