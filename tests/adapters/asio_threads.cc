// Coroutines that move between threads: four threads, twenty jobs.
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
//
#include <atomic>
#include <boost/asio.hpp>
#include <chrono>
#include <cstdio>

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;

std::atomic<int> done;

awaitable<int> leaf(int x) {
  asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::microseconds(50));
  co_await timer.async_wait(use_awaitable);
  co_return x;
}

awaitable<void> job(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += co_await leaf(i);  // await: leaf
    co_await asio::post(use_awaitable);
  }
  if (sum == n * (n - 1) / 2) ++done;
}

int main() {
  asio::thread_pool pool(4);
  for (int i = 0; i < 20; ++i) co_spawn(pool, job(50), asio::detached);
  pool.join();
  std::printf("%d\n", done.load());
}
