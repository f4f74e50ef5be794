// A coroutine that another one awaits, and that blocks its thread until the process is killed: no record
// of a profile is of it.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <exception>

namespace app {

struct Task {
  struct promise_type {
    std::coroutine_handle<> awaiter = std::noop_coroutine();
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Last {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept {
          return done.promise().awaiter;
        }
        void await_resume() noexcept {}
      };
      return Last{};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) {
    handle.promise().awaiter = awaiter;
    return handle;
  }
  void await_resume() {}
};

int ends[2];
// Uses registers that it must save: only the stack of such a thread is known.
[[gnu::noinline]] int block(int first, int second, int third, int fourth) {
  for (char byte = 0; first != second; first += byte) {
    if (read(ends[0], &byte, 1) != 1) std::terminate();
    third += fourth;
    second += third;
  }
  return third;
}

Task inner() {
  std::printf("%d\n", block(1, 2, 3, 4));
  co_return;
}
Task outer() {
  co_await inner();  // outer
  std::puts("ended");
}

}  // namespace app

int main() {
  if (pipe(app::ends) != 0) return 1;
  std::puts("ready");
  std::fflush(stdout);
  app::outer().handle.resume();
}
