// Coroutines that work where exceptions are caught, and in destructors that they run: paths as in
// burn.h. g++ moves that code out of the function (NAME.actor.cold).
//
// path 1: serve:a handle
// path 2: serve:a handle:b parse
// path 3: serve:a handle
// path 4: serve:c retry
#include <coroutine>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

#include "burn.h"

namespace app {

std::atomic<bool> is_over = false;

struct [[nodiscard]] Task {
  struct promise_type {
    std::coroutine_handle<> continuation = nullptr;
    std::exception_ptr thrown = nullptr;
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Last {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> own) noexcept {
        return own.promise().continuation ? own.promise().continuation : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Last final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { thrown = std::current_exception(); }
  };
  struct Awaiter {
    std::coroutine_handle<promise_type> awaited;
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> handle) {
      awaited.promise().continuation = handle;
      return awaited;
    }
    void await_resume() {
      if (awaited.promise().thrown) std::rethrow_exception(awaited.promise().thrown);
    }
  };
  explicit Task(std::coroutine_handle<promise_type> own) : handle(own) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  Awaiter operator co_await() const { return {handle}; }
  std::coroutine_handle<promise_type> handle;
};

// Works when it is destroyed.
template <int path>
struct Guard {
  [[gnu::always_inline]] ~Guard() {
    if (std::uncaught_exceptions() != 0) burn<path>(50);
  }
};

[[gnu::noinline]] void fail(unsigned number) {
  sink = sink + number;
  if (number != 0) throw std::runtime_error("no");
}

Task parse(unsigned number) {
  const Guard<2> guard;
  fail(number);
  co_return;
}

Task handle(unsigned number) {
  try {
    co_await parse(number);  // b
  } catch (const std::exception& error) {
    sink = sink + static_cast<unsigned>(error.what()[0]);
    burn<1>(100);
  }
  const Guard<3> guard;
  fail(number);
}

Task retry(unsigned number) {
  for (unsigned i = 0; i < 3; i++) {
    try {
      fail(number + i);
    } catch (const std::runtime_error&) {
      burn<4>(20);
    }
  }
  co_return;
}

Task serve() {
  while (!is_over) {
    try {
      co_await handle(1);  // a
    } catch (const std::exception&) {
    }
    co_await retry(1);  // c
  }
}

}  // namespace app

int main(int, char** words) {
  std::thread work([] {
    const app::Task all = app::serve();
    all.handle.resume();
  });
  app::sleep_for(words[1]);
  app::is_over = true;
  work.join();
  app::report();
}
