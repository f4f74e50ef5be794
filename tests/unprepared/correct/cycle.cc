// Two coroutines that join each other: a deadlock.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <exception>
struct job {
  struct promise_type {
    std::coroutine_handle<> joiner;
    job get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct F {
        bool await_ready() noexcept { return 0; }
        void await_suspend(std::coroutine_handle<promise_type> h) noexcept {
          if (h.promise().joiner) h.promise().joiner.resume();
        }
        void await_resume() noexcept {}
      };
      return F{};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> h;
  auto join() {
    struct J {
      std::coroutine_handle<promise_type> h;
      bool await_ready() { return h.done(); }
      void await_suspend(std::coroutine_handle<> w) { h.promise().joiner = w; }
      void await_resume() {}
    };
    return J{h};
  }
};
job *pa, *pb;
job parent() {
  co_await pb->join();
  puts("p");
}
job child() {
  co_await pa->join();
  puts("c");
}
int main() {
  auto a = parent(), b = child();
  pa = &a;
  pb = &b;
  a.h.resume();
  b.h.resume();
  puts("READY");
  fflush(stdout);
  pause();
}
