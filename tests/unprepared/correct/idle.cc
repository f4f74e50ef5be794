// Coroutines at an awaiter that leaves no code in an optimised program. The handle of what they have
// awaited before is left in their frames, and its promise has theirs; only waits_twice() waits for it.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

struct Task {
  struct promise_type {
    std::coroutine_handle<> next;
    int value = 0;
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Continues {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> handle) noexcept {
        const auto next = handle.promise().next;
        return next ? next : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Continues final_suspend() noexcept { return {}; }
    Continues yield_value(int v) noexcept {
      value = v;
      return {};
    }
    void return_value(int v) { value = v; }
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, {})) {}
  [[gnu::noinline]] ~Task() {
    if (handle) handle.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    handle.promise().next = waiter;
    return handle;
  }
  int await_resume() { return handle.promise().value; }
};

struct Idle {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) {}
  void await_resume() {}
};

struct Never {
  std::vector<std::coroutine_handle<>> waiters;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { waiters.push_back(handle); }
  void await_resume() {}
} never;

Task child(int number) {
  co_yield number;
  co_await never;
  co_return number;
}

Task ends(int number) { co_return number; }

Task idle_after_yield(int number) {
  Task one = child(number);
  const int first = co_await one;
  co_await Idle{};
  co_return first + co_await one;
}

Task idle_after_end(int number) {
  Task one = ends(number);
  const int first = co_await one;
  co_await Idle{};
  co_return first + one.handle.promise().value;
}

Task waits_twice(int number) {
  Task one = child(number);
  const int first = co_await one;
  co_return first + co_await one;
}

int main() {
  std::vector<Task> tasks;
  for (int i = 0; i < 3; i++) {
    tasks.push_back(idle_after_yield(i));
    tasks.push_back(idle_after_end(i));
    tasks.push_back(waits_twice(i));
  }
  for (const Task& task : tasks) task.handle.resume();
  std::puts("READY");
  std::fflush(stdout);
  for (;;) pause();
}
