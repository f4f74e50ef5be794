// Sockets of every kind, and one descriptor that two sockets use one after the other. Prints the
// address that each should have in the trace. For asio_connections_test.py.
#include <utility>
// clang-format off
#include <boost/asio.hpp>
// clang-format on
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using asio::ip::udp;
using error_code = decltype(make_error_code(asio::error::eof));

namespace {

// The operations of `use`, descriptor, and addresses as "address port".
template <class Endpoint>
void say(const char* use, int descriptor, const Endpoint& local, const Endpoint* peer) {
  const auto text = [](const Endpoint& end) {
    return end.address().to_string() + " " + std::to_string(end.port());
  };
  std::printf("%s %d %s %s\n", use, descriptor, text(local).c_str(),
              peer ? text(*peer).c_str() : "- 0");
}
void say(const char* use, tcp::socket& socket) {
  const tcp::endpoint peer = socket.remote_endpoint();
  say(use, socket.native_handle(), socket.local_endpoint(), &peer);
}

// Sends and receives, each in two parts.
awaitable<void> client(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  say("client", socket);
  std::array<char, 700> bytes{};
  co_await asio::async_write(socket, asio::buffer(bytes, 300), use_awaitable);
  co_await asio::async_write(socket, asio::buffer(bytes), use_awaitable);
  co_await asio::async_read(socket, asio::buffer(bytes, 5), use_awaitable);
  co_await asio::async_read(socket, asio::buffer(bytes, 2), use_awaitable);
}

// The other end, with callbacks.
struct Session : std::enable_shared_from_this<Session> {
  explicit Session(tcp::socket s) : socket(std::move(s)) {}
  void start() {
    say("session", socket);
    asio::async_read(socket, asio::buffer(bytes), [self = shared_from_this()](error_code, size_t) {
      asio::async_write(self->socket, asio::buffer(self->bytes, 7),
                        [self](error_code, size_t) { self->wait_for_end(); });
    });
  }
  void wait_for_end() {
    socket.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code) {});
  }
  tcp::socket socket;
  std::array<char, 1000> bytes{};
};

// A descriptor that is closed without Asio, and used again.
void reuse(asio::io_context& loop, tcp::acceptor& acceptor) {
  int before = -1;
  for (int i = 0; i < 2; ++i) {
    tcp::socket near(loop);
    near.connect(acceptor.local_endpoint());
    tcp::socket far = acceptor.accept();
    if (i == 1 && near.native_handle() != before) std::abort();
    before = near.native_handle();
    say(i == 0 ? "first" : "second", near);
    char byte = 0;
    near.async_send(asio::buffer(&byte, 1), [](error_code, size_t) {});
    loop.run();
    loop.restart();
    far.close();
    ::close(near.release());
  }
}

// Sends and receives with calls that no hook sees, too: 5 bytes before the first operation, 30
// after it, and 100 before the socket is closed.
void mix(asio::io_context& loop, tcp::acceptor& acceptor) {
  tcp::socket near(loop);
  near.connect(acceptor.local_endpoint());
  tcp::socket far = acceptor.accept();
  say("mixed", near);
  say("far", far);
  std::array<char, 200> bytes{};
  const auto asynchronous = [&](size_t sent) {
    asio::async_write(near, asio::buffer(bytes, sent), [](error_code, size_t) {});
    asio::async_read(far, asio::buffer(bytes, sent), [](error_code, size_t) {});
    loop.run();
    loop.restart();
  };
  const auto synchronous = [&](size_t sent) {
    asio::write(near, asio::buffer(bytes, sent));
    asio::read(far, asio::buffer(bytes, sent));
  };
  synchronous(5);
  asynchronous(1);
  synchronous(30);
  asynchronous(2);
  synchronous(100);
  near.close();
  far.close();
}

}  // namespace

int main() {
  asio::io_context loop;
  tcp::acceptor acceptor(loop, {asio::ip::address_v4::loopback(), 0});
  reuse(loop, acceptor);
  mix(loop, acceptor);

  say<tcp::endpoint>("acceptor", acceptor.native_handle(), acceptor.local_endpoint(), nullptr);
  acceptor.async_accept([](error_code, tcp::socket socket) {
    std::make_shared<Session>(std::move(socket))->start();
  });
  asio::co_spawn(loop, client(acceptor.local_endpoint()), asio::detached);
  loop.run();
  loop.restart();

  udp::socket datagrams(loop, udp::endpoint(udp::v4(), 0));
  say<udp::endpoint>("udp", datagrams.native_handle(), datagrams.local_endpoint(), nullptr);
  char byte = 0;
  datagrams.async_receive(asio::buffer(&byte, 1), [](error_code, size_t) {});

  const std::string path = std::string(std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp") +
                           "/skein-connections-" + std::to_string(getpid());
  asio::local::stream_protocol::acceptor named(loop, path);
  asio::local::stream_protocol::socket near(loop);
  near.connect(path);
  unlink(path.c_str());
  near.async_receive(asio::buffer(&byte, 1), [](error_code, size_t) {});
  std::printf("unix %d %s\n", near.native_handle(), path.c_str());

  asio::local::stream_protocol::socket one(loop), other(loop);
  asio::local::connect_pair(one, other);
  one.async_receive(asio::buffer(&byte, 1), [](error_code, size_t) {});

  tcp::socket unconnected(loop, tcp::v4());
  unconnected.async_receive(asio::buffer(&byte, 1), [](error_code, size_t) {});
  loop.poll();
}
