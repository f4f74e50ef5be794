// Coroutines of Asio on two threads: paths as in burn.h.
//
// path 1: serve:a handle:b parse
// path 2: serve:a handle
// path 3: serve:c handle:d reply
// path 4: both:g left:f reply
// path 5: both:g right
// path 6: apart
#include <asio.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <thread>

#include "burn.h"

namespace app {

using asio::awaitable;
using asio::use_awaitable;
using namespace asio::experimental::awaitable_operators;

std::atomic<bool> is_over = false;

awaitable<void> parse() {
  burn<1>(50);
  co_return;
}
awaitable<int> reply(int path) {
  if (path == 3) burn<3>(100);
  if (path == 4) burn<4>(100);
  co_return path;
}
awaitable<void> handle(bool replies) {
  if (!replies) {
    co_await parse();  // b
    co_await post(co_await asio::this_coro::executor, use_awaitable);
    burn<2>(50);
  } else {
    sink = sink + static_cast<unsigned>(co_await reply(3));  // d
  }
}
awaitable<void> serve() {
  while (!is_over) {
    co_await handle(false);  // a
    co_await handle(true);  // c
  }
}

awaitable<void> left() {
  co_await post(co_await asio::this_coro::executor, use_awaitable);
  sink = sink + static_cast<unsigned>(co_await reply(4));  // f
}
awaitable<void> right() {
  co_await post(co_await asio::this_coro::executor, use_awaitable);
  burn<5>(100);
}
awaitable<void> both() {
  while (!is_over) co_await (left() && right());  // g
}

awaitable<void> apart() {
  co_await post(co_await asio::this_coro::executor, use_awaitable);
  burn<6>(100);
}
awaitable<void> starter() {
  while (!is_over) {
    const auto executor = co_await asio::this_coro::executor;
    co_spawn(executor, apart(), asio::detached);
    asio::steady_timer timer(executor, std::chrono::microseconds(500));
    co_await timer.async_wait(use_awaitable);
  }
}

}  // namespace app

int main(int, char** words) {
  asio::io_context context;
  co_spawn(context, app::serve(), asio::detached);
  co_spawn(make_strand(context), app::both(), asio::detached);
  co_spawn(context, app::starter(), asio::detached);
  std::thread threads[2];
  for (std::thread& thread : threads) thread = std::thread([&] { context.run(); });
  app::sleep_for(words[1]);
  app::is_over = true;
  for (std::thread& thread : threads) thread.join();
  app::report();
}
