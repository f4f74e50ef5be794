// Coroutines without skein: one waits for an event that nothing sets.
#include <unistd.h>

#include <coroutine>
#include <cstdio>

struct Task {
  struct promise_type {
    std::coroutine_handle<> waiter = {};
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return handle.done(); }
  void await_suspend(std::coroutine_handle<> waiter) { handle.promise().waiter = waiter; }
  void await_resume() {}
};

struct Event {
  std::coroutine_handle<> waiter = {};
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { waiter = handle; }
  void await_resume() {}
};

Event answer;

Task read_answer() {
  co_await answer;  // HANGS read_answer
}

Task run_client() {
  co_await read_answer();
}

int main() {
  const Task client = run_client();
  puts("started");
  fflush(stdout);
  for (;;) pause();
}
