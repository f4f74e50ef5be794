#include "cli/input/socket_state.h"

#include <algorithm>

#include "base/text.h"
#include "trace/read/connection.h"

namespace skein::cli {

namespace {

// The trace's descriptor may have been closed, and used again, since the trace was read.
bool is_same(const SocketState& socket, std::string_view connection) {
  const auto port = [](uint16_t number) { return ':' + std::to_string(number); };
  const std::string both = port(socket.local_port) + " > ";
  return connection.find(both) != connection.npos &&
         peer_in(connection).ends_with(port(socket.peer_port));
}

// The bytes that the kernel has counted. Its times are coarse, and include retransmissions: the
// time of the last operation is better if there was no other call, and else the earliest possible
// one.
Traffic count(const SocketState& socket, const Traffic& own, uint64_t now) {
  const auto at = [&](uint64_t bytes, uint64_t own_bytes, int64_t own_time, uint64_t ago) {
    if (bytes == 0 || bytes == own_bytes) return own_time;
    return std::max(own_time, static_cast<int64_t>(now) - static_cast<int64_t>(ago));
  };
  return {.sent = socket.sent,
          .received = socket.received,
          .sent_at = at(socket.sent, own.sent, own.sent_at, socket.sent_ago),
          .received_at = at(socket.received, own.received, own.received_at, socket.received_ago),
          .of_kernel = true};
}

std::string describe(const SocketState& socket, bool receives) {
  std::string text;
  if (socket.unread != 0)
    text +=
        " The program has not read the last " + counted(socket.unread, "byte") + " that arrived.";
  else if (receives)
    text += " Everything that has arrived here has been read.";
  if (socket.unacked != 0)
    text += " The peer has not taken the last " + counted(socket.unacked, "byte") + ".";
  if (socket.tcp == SocketState::CloseWait) text += " The peer sends no more.";
  return text;
}

// Which of several connections an operation makes is not in the trace.
std::string describe_connecting(const std::vector<SocketState>& sockets) {
  std::string peers;
  for (const SocketState& socket : sockets)
    if (socket.tcp == SocketState::SynSent) peers += (peers.empty() ? "" : ", ") + socket.peer;
  return peers.empty() ? "" : " The process has no answer yet from " + peers + ".";
}

}  // namespace

void add_socket_state(const std::vector<SocketState>& sockets, const Subject& s, Diagnosis& d) {
  if (d.verdict != Verdict::External) return;
  const TaskIndex operation = d.chain.back().task;
  const std::string_view name = s.trace.strings[s.model.tasks[operation].name];
  if (name.starts_with("socket.async_connect")) {
    d.socket_state = describe_connecting(sockets);
    return;
  }
  const Model::Object* object = used_by(s.model, operation);
  if (object == nullptr || !d.traffic) return;
  const auto socket = std::find_if(sockets.begin(), sockets.end(), [&](const SocketState& state) {
    return state.descriptor == object->descriptor &&
           is_same(state, s.trace.strings[object->connection]);
  });
  if (socket == sockets.end() || !socket->has_counts) return;
  // What arrived since the operation began has completed it: the counts are later than the trace.
  const bool receives = name.starts_with("socket.async_receive");
  const uint64_t waited =
      s.model.end - std::min(s.model.end, s.model.tasks[operation].start);
  if (receives && socket->unread == 0 && socket->received > d.traffic->received &&
      socket->received_ago < waited)
    return;
  d.traffic = count(*socket, *d.traffic, s.model.end);
  d.socket_state = describe(*socket, receives);
}

void add_socket_states(const std::string& pid, const Subject& subject,
                       std::vector<Diagnosis>& found) {
  const auto is_external = [](const Diagnosis& d) { return d.verdict == Verdict::External; };
  if (std::none_of(found.begin(), found.end(), is_external)) return;
  const std::vector<SocketState> sockets = socket_states(pid);
  for (Diagnosis& d : found) add_socket_state(sockets, subject, d);
}

}  // namespace skein::cli
