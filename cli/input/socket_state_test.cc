#include "cli/input/socket_state.h"

#include "trace/model/example.h"

namespace skein::cli {

namespace {

constexpr uint64_t second = 1'000'000'000;

SocketState state() {
  return {.descriptor = 7,
          .tcp = SocketState::Established,
          .local_port = 1,
          .peer_port = 5432,
          .peer = "127.0.0.1:5432",
          .sent = 812,
          .received = 20,
          .sent_ago = 3 * second,
          .received_ago = 5 * second,
          .has_counts = true};
}

Diagnosis diagnosis(const std::string& operation, const std::vector<SocketState>& sockets) {
  Example e = ours(
      "0 create 1 as coroutine session\n 0 resource 1 of 30 as socket\n"
      "1 connection 1 of 30 =7 addresses\n 1 about 1 of 30\n"
      "6000000000 create 2 by 1 as io socket.async_" +
      operation + "\n 6000000000 suspend 1 on 2\n 10000000000 executor_end -");
  e.model.objects[0].connection =
      e.trace.strings.intern("127.0.0.1:1 > 127.0.0.1:5432 (tcp, netns 1)");
  const Waits waits = find_waits(e.trace, e.model);
  Diagnosis d = diagnose(e.trace, e.model, waits, e.model.find(1));
  add_socket_state(sockets, {e.trace, e.model, waits}, d);
  return d;
}

}  // namespace

TEST_CASE("the kernel's counts replace those of the operations") {
  const Diagnosis d = diagnosis("receive", {state()});
  REQUIRE(d.traffic);
  CHECK(d.traffic->of_kernel);
  CHECK(d.traffic->sent == 812);
  CHECK(d.traffic->sent_at == 7 * second);
  CHECK(d.traffic->received_at == 5 * second);
  CHECK(d.socket_state == " Everything that has arrived here has been read.");
}

TEST_CASE("counts that are later than the trace are left out") {
  SocketState socket = state();
  socket.received_ago = 2 * second;  // it completed the operation
  const Diagnosis d = diagnosis("receive", {socket});
  CHECK(!d.traffic->of_kernel);
  CHECK(d.socket_state == "");
}

TEST_CASE("what has arrived and was not read, and what was not acknowledged") {
  SocketState socket = state();
  socket.unread = 20;
  socket.unacked = 1;
  socket.tcp = SocketState::CloseWait;
  CHECK(diagnosis("receive", {socket}).socket_state ==
        " The program has not read the last 20 bytes that arrived. The peer has not taken the "
        "last 1 byte. The peer sends no more.");
}

TEST_CASE("a descriptor that another connection uses by now") {
  SocketState socket = state();
  socket.peer_port = 80;
  const Diagnosis d = diagnosis("receive", {socket});
  CHECK(!d.traffic->of_kernel);
  CHECK(d.socket_state == "");
}

TEST_CASE("a connection that is being made has no address in the trace") {
  SocketState socket = state();
  CHECK(diagnosis("connect", {socket}).socket_state == "");
  socket.tcp = SocketState::SynSent;
  CHECK(diagnosis("connect", {socket, socket}).socket_state ==
        " The process has no answer yet from 127.0.0.1:5432, 127.0.0.1:5432.");
}

}  // namespace skein::cli
