// Coroutines of cppcoro: paths as in burn.h.
//
// path 1: run:a leaf
// path 2: run:b value:c leaf
// path 3: run:b value
// path 4: run:d part:e leaf
// path 5: run:f later
// path 6: run:g once
#include <cppcoro/shared_task.hpp>
#include <cppcoro/sync_wait.hpp>
#include <cppcoro/task.hpp>
#include <cppcoro/when_all.hpp>
#include <cppcoro/when_all_ready.hpp>
#include <mutex>
#include <thread>

#include "burn.h"

namespace app {

std::atomic<bool> is_over = false;

// Goes on in the other thread, after a while: when_all and shared_task note what waits after they
// have resumed what is awaited.
struct Hop {
  static inline std::mutex mutex;
  static inline std::coroutine_handle<> next[4];
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const {
    const std::lock_guard lock(mutex);
    for (std::coroutine_handle<>& one : next)
      if (!one) {
        one = handle;
        break;
      }
  }
  void await_resume() const noexcept {}
  static void work() {
    while (!is_over)
      for (std::coroutine_handle<>& one : next) {
        std::unique_lock lock(mutex);
        const std::coroutine_handle<> first = std::exchange(one, nullptr);
        lock.unlock();
        if (!first) continue;
        sleep_for("0.002");
        first.resume();
      }
  }
};

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
cppcoro::task<int> later() {
  co_await Hop();
  burn<5>(100);
  co_return 1;
}
cppcoro::shared_task<int> once() {
  co_await Hop();
  burn<6>(100);
  co_return 1;
}
cppcoro::task<> run() {
  while (!is_over) {
    co_await leaf(1);  // a
    sink = sink + static_cast<unsigned>(co_await value());  // b
    co_await cppcoro::when_all_ready(part(), part());  // d
    co_await cppcoro::when_all(later(), later());      // f
    const cppcoro::shared_task<int> shared = once();
    sink = sink + static_cast<unsigned>(co_await shared);  // g
  }
}

}  // namespace app

int main(int, char** words) {
  std::thread work([] { cppcoro::sync_wait(app::run()); });
  std::thread other(app::Hop::work);
  app::sleep_for(words[1]);
  app::is_over = true;
  std::exit((app::report(), 0));
}
