// Connections of Asio's of which both ends are in the process. It prints "ready" when all wait;
// asio_connections_test.py knows what must be found.
#include <utility>  // missing in Boost 1.74's awaitable.hpp
// clang-format off
#include <boost/asio.hpp>
// clang-format on
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

namespace {

std::vector<std::shared_ptr<tcp::socket>> kept;

// A server that speaks first: its client needs not answer.
awaitable<void> greet(tcp::acceptor& acceptor) {
  tcp::socket socket(co_await acceptor.async_accept(use_awaitable));
  co_await asio::async_write(socket, asio::buffer("hello", 5), use_awaitable);
  char bytes[16];
  co_await socket.async_read_some(asio::buffer(bytes), use_awaitable);
}

awaitable<void> read_greeting(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  char bytes[8];  // more than the server sends
  co_await asio::async_read(socket, asio::buffer(bytes), use_awaitable);
}

// Each waits for the other to begin.
awaitable<void> read_first(tcp::acceptor& acceptor) {
  tcp::socket socket(co_await acceptor.async_accept(use_awaitable));
  char bytes[16];
  co_await socket.async_read_some(asio::buffer(bytes), use_awaitable);
}
awaitable<void> read_first_too(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  char bytes[8];
  co_await asio::async_read(socket, asio::buffer(bytes), use_awaitable);
}

awaitable<void> keep(tcp::acceptor& acceptor) {
  for (;;)
    kept.push_back(
        std::make_shared<tcp::socket>(co_await acceptor.async_accept(use_awaitable)));
}

awaitable<void> report_ready() {
  asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(300));
  co_await timer.async_wait(use_awaitable);
  std::puts("ready");
  std::fflush(stdout);
}

}  // namespace

int main() {
  asio::io_context io;
  const tcp::endpoint any(asio::ip::address_v4::loopback(), 0);
  tcp::acceptor greeter(io, any);
  tcp::acceptor reader(io, any);
  tcp::acceptor server(io, any);
  const auto start = [&](auto coroutine) { co_spawn(io, std::move(coroutine), asio::detached); };
  start(greet(greeter));
  start(read_greeting(greeter.local_endpoint()));
  start(read_first(reader));
  start(read_first_too(reader.local_endpoint()));
  start(keep(server));
  tcp::socket client(io);
  client.connect(server.local_endpoint());
  start(report_ready());
  io.run();
}
