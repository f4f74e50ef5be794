// The actions of lib.h; -DWHERE=library or program.
#include "tests/adapters/mixed_build/lib.h"

namespace WHERE {

asio::awaitable<int> sleep(int ms) {
  asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(ms));
  co_await timer.async_wait(asio::use_awaitable);
  co_return ms;
}

asio::awaitable<std::string> exchange(std::string text) {
  const auto executor = co_await asio::this_coro::executor;
  asio::local::stream_protocol::socket here(executor), there(executor);
  asio::local::connect_pair(here, there);
  co_await asio::async_write(here, asio::buffer(text + "\n"), asio::use_awaitable);
  std::string got;
  const std::size_t size =
      co_await asio::async_read_until(there, asio::dynamic_buffer(got), '\n', asio::use_awaitable);
  co_return got.substr(0, size - 1);
}

void wait(asio::steady_timer& timer, std::function<void(Error)> done) {
  timer.async_wait(std::move(done));
}

void post(asio::io_context& loop, std::function<void()> done) { asio::post(loop, std::move(done)); }

}  // namespace WHERE
