#include "target/sockets.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string>

using namespace skein;

namespace {

class Socket {
 public:
  explicit Socket(int number) : number_(number) {}
  ~Socket() { close(number_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

const SocketState* find(const std::vector<SocketState>& all, const Socket& wanted) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const SocketState& one) {
    return one.descriptor == static_cast<uint64_t>(wanted.get());
  });
  return at == all.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("sockets: which end of a connection was accepted, if both are in the process") {
  const Socket acceptor(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const name = reinterpret_cast<sockaddr*>(&address);  // NOLINT
  REQUIRE(bind(acceptor.get(), name, size) == 0);
  REQUIRE(listen(acceptor.get(), 1) == 0);
  REQUIRE(getsockname(acceptor.get(), name, &size) == 0);
  const Socket client(socket(AF_INET, SOCK_STREAM, 0));
  REQUIRE(connect(client.get(), name, size) == 0);
  const Socket session(accept(acceptor.get(), nullptr, nullptr));
  REQUIRE(session.get() >= 0);

  const std::vector<SocketState> all = socket_states(std::to_string(getpid()));
  if (all.empty()) {
    MESSAGE("skipped: the kernel does not list sockets here");
    return;
  }
  CHECK(find(all, acceptor) == nullptr);
  const SocketState* made = find(all, client);
  const SocketState* accepted = find(all, session);
  REQUIRE(made != nullptr);
  REQUIRE(accepted != nullptr);
  CHECK(made->is_peer_port_listening);
  CHECK_FALSE(made->is_local_port_listening);
  CHECK(accepted->is_local_port_listening);
  CHECK_FALSE(accepted->is_peer_port_listening);
  CHECK(made->local == accepted->peer);
  CHECK(made->peer == accepted->local);
}
