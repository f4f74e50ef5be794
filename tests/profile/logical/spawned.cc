// Coroutines of Asio that wait for those that they have spawned in a pool of threads: paths as in
// burn.h.
//
// path 1: serve:a begin:b work
// path 2: serve:a begin
// path 3: serve:c part:d work
// path 4: serve:c part
#include <thread>
#include <utility>
#ifdef BOOST
#include <boost/asio.hpp>
namespace asio = boost::asio;
#else
#include <asio.hpp>
#endif

#include "burn.h"

namespace app {

using asio::awaitable;
using asio::use_awaitable;

std::atomic<bool> is_over = false;
asio::thread_pool pool(1);

awaitable<int> work(int path) {
  if (path == 1) burn<1>(100);
  if (path == 3) burn<3>(100);
  co_return path;
}
awaitable<int> part() {
  burn<4>(100);
  sink = sink + static_cast<unsigned>(co_await work(3));  // d
  burn<4>(20);
  co_return 1;
}
awaitable<void> begin() {
  burn<2>(100);
  sink = sink + static_cast<unsigned>(co_await work(1));  // b
}
awaitable<void> serve() {
  while (!is_over) {
    co_await co_spawn(pool, begin, use_awaitable);  // a
    sink = sink + static_cast<unsigned>(co_await co_spawn(pool, part(), use_awaitable));  // c
  }
}

}  // namespace app

int main(int, char** words) {
  asio::io_context context;
  co_spawn(context, app::serve(), asio::detached);
  std::thread thread([&] { context.run(); });
  app::sleep_for(words[1]);
  app::is_over = true;
  thread.join();
  app::pool.join();
  app::report();
}
