#include "trace/read/connection.h"

#include <doctest/doctest.h>

namespace skein {

namespace {

constexpr format::SocketAddress loopback = {.low = 0xFFFF'7F00'0001, .port = 5432};

format::Connection connection(format::SocketAddress local, format::SocketAddress peer,
                              uint32_t protocol) {
  return {.local = local, .peer = peer, .protocol = protocol};
}

std::string text_of(uint64_t high, uint64_t low) {
  return connection_text(connection({high, low, 80}, {}, 6), "");
}

}  // namespace

TEST_CASE("connection_text: addresses") {
  CHECK(text_of(0, 1) == "[::1]:80 (tcp)");
  CHECK(text_of(0, 0) == "[::]:80 (tcp)");
  CHECK(text_of(0x2001'0db8'0000'0000, 0x0001'0000'0000'0001) == "[2001:db8::1:0:0:1]:80 (tcp)");
  CHECK(text_of(0x2001'0db8'0000'0001, 0x0001'0001'0001'0000) == "[2001:db8:0:1:1:1:1:0]:80 (tcp)");
  CHECK(text_of(0xfe80'0000'0000'0000, 0) == "[fe80::]:80 (tcp)");
  CHECK(text_of(0, 0xFFFF'0000'0000) == "0.0.0.0:80 (tcp)");
}

TEST_CASE("connection_of_peer exchanges the addresses") {
  CHECK(connection_of_peer("127.0.0.1:1 > [::1]:2 (tcp, netns 1)") ==
        "[::1]:2 > 127.0.0.1:1 (tcp, netns 1)");
  CHECK(connection_of_peer("0.0.0.0:80 (tcp)").empty());
  CHECK(connection_of_peer("/tmp/a > b (unix)").empty());
  CHECK(connection_of_peer("").empty());
  CHECK(connection_of_peer("a > b").empty());
}

TEST_CASE("connection_text: peer_in") {
  format::Connection c = connection({.low = 0xFFFF'7F00'0001, .port = 1}, loopback, 6);
  c.net_namespace = 7;
  const std::string both = connection_text(c, "");
  CHECK(both == "127.0.0.1:1 > 127.0.0.1:5432 (tcp, netns 7)");
  CHECK(peer_in(both) == "127.0.0.1:5432");
  CHECK(has_peer(both));
  const std::string own = connection_text(connection(loopback, {}, 17), "");
  CHECK(own == "127.0.0.1:5432 (udp)");
  CHECK(peer_in(own) == "127.0.0.1:5432");
  CHECK(!has_peer(own));
  const std::string path = connection_text({}, "/tmp/a > b (c)");
  CHECK(path == "/tmp/a > b (c) (unix)");
  CHECK(peer_in(path) == "/tmp/a > b (c)");
  CHECK(has_peer(path));
  CHECK(peer_in("") == "");
  CHECK(connection_text(connection({}, {}, format::Connection::kWholeText), both) == both);
  const format::SocketAddress odd = {.port = UINT32_MAX};
  CHECK(peer_in(connection_text(connection(odd, {}, UINT32_MAX), "")) == "[::]:4294967295");
}

}  // namespace skein
