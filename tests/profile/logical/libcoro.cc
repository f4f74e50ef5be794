// Coroutines of libcoro: paths as in burn.h.
//
// path 1: run:a leaf
// path 2: run:b value:c leaf
// path 3: run:b value
// path 4: run:d part:e leaf
#include <coro/sync_wait.hpp>
#include <coro/task.hpp>
#include <coro/when_all.hpp>
#include <thread>

#include "burn.h"

namespace app {

std::atomic<bool> is_over = false;

coro::task<> leaf(int path) {
  if (path == 1) burn<1>(50);
  if (path == 2) burn<2>(100);
  if (path == 4) burn<4>(100);
  co_return;
}
coro::task<int> value() {
  co_await leaf(2);  // c
  burn<3>(50);
  co_return 1;
}
coro::task<> part() {
  co_await leaf(4);  // e
}
coro::task<> run() {
  while (!is_over) {
    co_await leaf(1);  // a
    sink = sink + static_cast<unsigned>(co_await value());  // b
    co_await coro::when_all(part(), part());  // d
  }
}

}  // namespace app

int main(int, char** words) {
  std::thread work([] { coro::sync_wait(app::run()); });
  app::sleep_for(words[1]);
  app::is_over = true;
  work.join();
  app::report();
}
