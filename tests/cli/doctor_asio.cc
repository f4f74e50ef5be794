// Bugs with an event loop: a coroutine that posts itself repeatedly, a handler that a stopped loop
// never invokes, a send without a reader.
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
// clang-format off
#include <boost/asio.hpp>
// clang-format on
#include <vector>

namespace asio = boost::asio;
using asio::local::stream_protocol;

asio::awaitable<void> polls(int times) {
  const auto executor = co_await asio::this_coro::executor;
  for (int i = 0; i < times; ++i) co_await asio::post(executor, asio::use_awaitable);
}

asio::awaitable<void> sends(stream_protocol::socket& socket) {
  const std::vector<char> much(16 << 20);
  co_await asio::async_write(socket, asio::buffer(much), asio::use_awaitable);
}

int main() {
  asio::io_context loop;
  asio::io_context forgotten;
  asio::post(forgotten, [] {});

  stream_protocol::socket one(loop), other(loop);
  asio::local::connect_pair(one, other);
  co_spawn(loop, sends(one), asio::detached);
  co_spawn(loop, polls(200), [&](std::exception_ptr) { loop.stop(); });
  loop.run();
  std::_Exit(0);  // without destructors
}
