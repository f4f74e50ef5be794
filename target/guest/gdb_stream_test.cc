// Connections to gdb servers over sockets, and the guest that goes on whatever happens to its
// client.
#include "target/guest/gdb_stream.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "target/guest/gdb_client.h"
#include "target/guest/gdb_fake.h"

using namespace skein;

namespace {

struct SocketPair {
  SocketPair() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0); }
  ~SocketPair() { close(ends[1]); }
  int client() const { return ends[0]; }
  int server() const { return ends[1]; }
  void send_text(std::string_view text) const {
    REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  int ends[2];
};

// What arrives at a server until all clients have closed the connection, or the first has detached.
std::string all_from(int server, bool to_detach = false) {
  std::string text;
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t count = ::read(server, bytes.data(), bytes.size());
    if (count <= 0) return text;
    text.append(bytes.data(), static_cast<size_t>(count));
    if (to_detach && text.ends_with("$D#44")) return text;
  }
}

constexpr std::chrono::milliseconds gdb_short{50};

// What the server gets after a client has done this and was then killed.
template <typename Use>
std::string after_killed_client(const SocketPair& sockets, const Use& use) {
  std::array<int, 2> ready;
  REQUIRE(pipe2(ready.data(), O_CLOEXEC) == 0);
  const pid_t child = fork();
  if (child == 0) {
    close(sockets.server());
    GdbSocket socket(sockets.client());
    std::optional<GdbGuardian> guardian = GdbGuardian::start(sockets.client());
    if (!guardian) _exit(1);
    socket.set_guardian(*std::move(guardian));
    use(socket);
    if (::write(ready[1], "r", 1) != 1) _exit(1);
    for (;;) pause();
  }
  close(sockets.client());
  close(ready[1]);
  char byte = 0;
  CHECK(::read(ready[0], &byte, 1) == 1);
  close(ready[0]);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return all_from(sockets.server(), true);
}

}  // namespace

TEST_CASE("addresses of gdb servers") {
  CHECK(parse_gdb_address("localhost:1234")->host == "localhost");
  CHECK(parse_gdb_address(":1234")->host == "localhost");
  CHECK(parse_gdb_address(":1234")->port == "1234");
  CHECK(parse_gdb_address("[::1]:99")->host == "::1");
  CHECK(parse_gdb_address("/run/web.gdb")->path == "/run/web.gdb");
  CHECK(parse_gdb_address("./a:1")->path == "./a:1");
  for (const char* wrong : {"", "web", "1234", "web:", "web:12x", "::1:99", "web:123456", "web:-1"})
    CHECK_FALSE(parse_gdb_address(wrong));
  CHECK_FALSE(parse_gdb_address("/" + std::string(200, 'x')));
}

TEST_CASE("bytes from a socket, and a server that is silent or gone") {
  SocketPair sockets;
  GdbSocket socket(sockets.client(), gdb_short);
  std::array<char, 16> bytes;
  CHECK(socket.read(bytes).error().what == "the gdb server does not answer");
  sockets.send_text("abc");
  CHECK(*socket.read(bytes) == 3);
  CHECK(socket.write("hello"));
  socket.set_deadline(GdbSocket::Clock::now());
  sockets.send_text("abc");
  CHECK(socket.read(bytes).error().what == "the gdb server is too slow");
  socket.set_deadline(GdbSocket::Clock::time_point::max());
  CHECK(*socket.read(bytes) == 3);
  // It takes nothing: the socket's buffer is full at some time.
  Result<void> written;
  for (int i = 0; i < 1000 && written; i++) written = socket.write(std::string(100'000, 'x'));
  REQUIRE_FALSE(written);
  CHECK(written.error().what == "the gdb server reads nothing");
  shutdown(sockets.server(), SHUT_RDWR);
  CHECK(socket.read(bytes).error().what == "the gdb server has closed the connection");
  CHECK(socket.write("x").error().what == "the gdb server has closed the connection");
}

TEST_CASE("no server") {
  const auto none = connect_to_gdb(*parse_gdb_address("/nowhere/at-all"));
  REQUIRE_FALSE(none);
  CHECK(none.error().message().starts_with("/nowhere/at-all: No such file or directory"));
  // A port that was free.
  const int free_port = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  REQUIRE(bind(free_port, reinterpret_cast<sockaddr*>(&name), size) == 0);
  REQUIRE(getsockname(free_port, reinterpret_cast<sockaddr*>(&name), &size) == 0);
  const std::string port = std::to_string(ntohs(name.sin_port));
  CHECK_FALSE(connect_to_gdb(*parse_gdb_address("127.0.0.1:" + port)));
  // One that accepts the connection and then does not answer.
  REQUIRE(listen(free_port, 1) == 0);
  auto silent = connect_to_gdb(*parse_gdb_address("127.0.0.1:" + port), gdb_short);
  REQUIRE(silent);
  GdbClient client(**silent);
  CHECK(client.start().error().what == "the gdb server does not answer");
  close(free_port);
  CHECK_FALSE((*silent)->release());
}

TEST_CASE("without a process that lets the guest go on, there is no connection") {
  const int next = dup(0);
  REQUIRE(next >= 0);
  close(next);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(next) + 1;  // the connection, and nothing else
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  const auto none = connect_to_gdb(*parse_gdb_address("/nowhere/at-all"));
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE_FALSE(none);
  CHECK(none.error().message() ==
        "/nowhere/at-all: no process can be made that lets the guest go on");
}

TEST_CASE("the guest goes on at the end of a session, once") {
  SocketPair sockets;
  {
    GdbSocket socket(sockets.client());
    std::optional<GdbGuardian> guardian = GdbGuardian::start(sockets.client());
    REQUIRE(guardian);
    socket.set_guardian(*std::move(guardian));
    sockets.send_text("+$OK#9a");  // it is confirmed
    CHECK(socket.release());
    CHECK(socket.release());
  }
  CHECK(all_from(sockets.server()) == "#00+$D#44");
}

TEST_CASE("a guest that stood still before stays so") {
  SocketPair sockets;
  {
    GdbSocket socket(sockets.client());
    std::optional<GdbGuardian> guardian = GdbGuardian::start(sockets.client());
    REQUIRE(guardian);
    socket.set_guardian(*std::move(guardian));
    socket.guardian()->keep();
    CHECK(socket.release());
  }
  CHECK(all_from(sockets.server()).empty());
}

TEST_CASE("the guest goes on if its client is killed, wherever it was") {
  const SocketPair first;
  CHECK(after_killed_client(first, [](GdbSocket&) {}) == "#00+$D#44");
  const SocketPair second;  // in a packet, reading physical memory
  CHECK(after_killed_client(second, [](GdbSocket& socket) {
          socket.guardian()->set_physical(true);
          (void)socket.write("$m100");
        }) == "$m100#00" + ("+" + gdb_packet("Qqemu.PhyMemMode:0")) + "+$D#44");
  const SocketPair third;  // while the guest runs
  CHECK(after_killed_client(third, [](GdbSocket& socket) {
          socket.guardian()->set_running(true);
        }) == "\x03+$D#44");
  const SocketPair fourth;
  CHECK(after_killed_client(fourth, [](GdbSocket& socket) {
          socket.guardian()->set_physical(true);
          socket.guardian()->set_physical(false);
          socket.guardian()->keep();
        }).empty());
}

TEST_CASE("the guest goes on if its client stands still, and is not stopped again") {
  SocketPair sockets;
  GdbSocket socket(sockets.client());
  std::optional<GdbGuardian> guardian = GdbGuardian::start(sockets.client(), gdb_short);
  REQUIRE(guardian);
  socket.set_guardian(*std::move(guardian));
  sockets.send_text("+$OK#9a");
  CHECK(all_from(sockets.server()) == "#00+$D#44");  // to the connection's end
  CHECK_FALSE(socket.write("$m"));
  CHECK(socket.release());
}
