#include "target/guest/gdb_clients.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>

namespace skein {

namespace {

struct OneSocket {
  explicit OneSocket(int opened) : number(opened) {}
  OneSocket(const OneSocket&) = delete;
  OneSocket& operator=(const OneSocket&) = delete;
  ~OneSocket() {
    if (number >= 0) close(number);
  }
  int number;
};

// A connection counts when the server has accepted it, and only that one's.
void check_clients(int family, const sockaddr* address, socklen_t size) {
  const OneSocket server(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(bind(server.number, address, size) == 0);
  REQUIRE(listen(server.number, 5) == 0);
  sockaddr_storage bound = {};
  socklen_t bound_size = sizeof bound;
  auto* const name = reinterpret_cast<sockaddr*>(&bound);
  REQUIRE(getsockname(server.number, name, &bound_size) == 0);
  CHECK(!has_client(name, bound_size));
  const OneSocket client(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(connect(client.number, name, bound_size) == 0);
  CHECK(!has_client(name, bound_size));
  {
    const OneSocket accepted(accept4(server.number, nullptr, nullptr, SOCK_CLOEXEC));
    REQUIRE(accepted.number >= 0);
    CHECK(has_client(name, bound_size));
  }
  CHECK(!has_client(name, bound_size));
}

}  // namespace

TEST_CASE("a gdb server has a client when it has accepted one") {
  sockaddr_in local{};
  local.sin_family = AF_INET;
  local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  check_clients(AF_INET, reinterpret_cast<const sockaddr*>(&local), sizeof local);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string path = "/tmp/skein-clients-" + std::to_string(getpid());
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  check_clients(AF_UNIX, reinterpret_cast<const sockaddr*>(&name), sizeof name);
  unlink(path.c_str());
}

}  // namespace skein
