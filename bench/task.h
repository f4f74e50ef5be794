// The coroutines of bench/suspended and bench/profiled.
#pragma once

#include <coroutine>
#include <exception>

// Begins when it is awaited, and then resumes the one that waits. `owns`: its end destroys the frame.
template <bool owns>
struct Task {
  struct promise_type {
    std::coroutine_handle<> continuation = {};
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> own) noexcept {
        return own.promise().continuation ? own.promise().continuation : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  explicit Task(std::coroutine_handle<promise_type> of) : handle(of) {}
  Task(Task&& other) noexcept : handle(other.handle) { other.handle = nullptr; }
  ~Task() {
    if (owns && handle) handle.destroy();
  }
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    handle.promise().continuation = waiter;
    return handle;
  }
  void await_resume() {}
  std::coroutine_handle<promise_type> handle;
};
