#include "frames/silent_connections.h"

#include <doctest/doctest.h>

#include <utility>

using namespace skein;

namespace {

SocketState end_of(uint64_t descriptor, std::string local, std::string peer) {
  return {.descriptor = descriptor,
          .tcp = SocketState::Established,
          .peer = std::move(peer),
          .local = std::move(local)};
}

}  // namespace

TEST_CASE("connections of which both ends wait") {
  SocketState server = end_of(3, "127.0.0.1:80", "127.0.0.1:4000");
  SocketState client = end_of(4, "127.0.0.1:4000", "127.0.0.1:80");
  const SocketState of_another_process = end_of(5, "127.0.0.1:80", "127.0.0.1:4001");
  const auto silent = [&] {
    return silent_connections({&client, &of_another_process, &server}).size();
  };
  REQUIRE(silent() == 1);
  const SilentConnection found = silent_connections({&client, &server})[0];
  CHECK(found.a == &server);
  CHECK(found.b == &client);
  CHECK(silent_connections({&client}).empty());

  SUBCASE("bytes have arrived") {
    client.unread = 1;
    CHECK(silent() == 0);
  }
  SUBCASE("bytes are under way") {
    server.unacked = 1;
    CHECK(silent() == 0);
  }
  SUBCASE("the peer has closed") {
    server.tcp = SocketState::CloseWait;
    CHECK(silent() == 0);
  }
}
