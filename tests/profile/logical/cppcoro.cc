// Coroutines of cppcoro: paths as in burn.h.
//
// path 1: run:a leaf
// path 2: run:b value:c leaf
// path 3: run:b value
// path 4: run:d part:e leaf
#include <cppcoro/sync_wait.hpp>
#include <cppcoro/task.hpp>
#include <cppcoro/when_all_ready.hpp>
#include <thread>

#include "burn.h"

namespace app {

std::atomic<bool> is_over = false;

cppcoro::task<> leaf(int path) {
  if (path == 1) burn<1>(50);
  if (path == 2) burn<2>(100);
  if (path == 4) burn<4>(100);
  co_return;
}
cppcoro::task<int> value() {
  co_await leaf(2);  // c
  burn<3>(50);
  co_return 1;
}
cppcoro::task<> part() {
  co_await leaf(4);  // e
}
cppcoro::task<> run() {
  while (!is_over) {
    co_await leaf(1);  // a
    sink = sink + static_cast<unsigned>(co_await value());  // b
    co_await cppcoro::when_all_ready(part(), part());  // d
  }
}

}  // namespace app

int main(int, char** words) {
  std::thread work([] { cppcoro::sync_wait(app::run()); });
  app::sleep_for(words[1]);
  app::is_over = true;
  work.join();
  app::report();
}
