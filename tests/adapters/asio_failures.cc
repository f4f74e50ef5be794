// Coroutines that fail, with completion handlers of co_spawn that drop the exception, and others
// that read it. For asio_failures_test.py.
#include <utility>
// clang-format off
#include <boost/asio.hpp>
// clang-format on
#include <cstdio>
#include <stdexcept>

namespace asio = boost::asio;
using asio::awaitable;
using std::chrono::milliseconds;

namespace {

awaitable<int> inner(bool fails) {
  asio::steady_timer timer(co_await asio::this_coro::executor, milliseconds(1));
  co_await timer.async_wait(asio::use_awaitable);
  if (fails) throw std::runtime_error("no such shard");
  co_return 3;
}
awaitable<void> dropped() { co_await inner(true); }
awaitable<int> dropped_result() {
  co_await inner(true);
  co_return 3;
}
awaitable<void> read() { co_await inner(true); }
awaitable<void> good() { co_await inner(false); }
awaitable<void> reader() {
  try {
    co_await asio::co_spawn(co_await asio::this_coro::executor, read(), asio::use_awaitable);
  } catch (const std::runtime_error& error) {
    std::puts(error.what());
  }
}

}  // namespace

int main() {
  asio::io_context io;
  co_spawn(io, dropped(), asio::detached);
  co_spawn(io, dropped_result(), asio::detached);
#if !defined(BOOST_ASIO_VERSION) || BOOST_ASIO_VERSION >= 101900
  co_spawn(io, dropped(), asio::bind_executor(io.get_executor(), asio::detached));
#else  // there detached cannot be bound
  co_spawn(io, dropped(), asio::detached);
#endif
  co_spawn(io, good(), asio::detached);
  co_spawn(io, read(), [](std::exception_ptr e) { std::printf("failed: %d\n", e != nullptr); });
  co_spawn(io, reader(), asio::detached);
  io.run();
}
