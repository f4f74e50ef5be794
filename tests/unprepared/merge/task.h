// A task and an event, for merge_test.py.
#pragma once

#include <coroutine>
#include <exception>
#include <vector>

struct Task {
  struct promise_type {
    std::coroutine_handle<> waiter = std::noop_coroutine();
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
        return ended.promise().waiter;
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };

  explicit Task(std::coroutine_handle<promise_type> its) : handle(its) {}
  Task(Task&& other) noexcept : handle(other.handle) { other.handle = {}; }
  ~Task() {
    if (handle) handle.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    handle.promise().waiter = waiter;
    return handle;
  }
  void await_resume() {}

  std::coroutine_handle<promise_type> handle;
};

struct Event {
  std::vector<std::coroutine_handle<>> waiters;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { waiters.push_back(waiter); }
  void await_resume() {}
  void set() {
    const std::vector<std::coroutine_handle<>> those = std::move(waiters);
    waiters.clear();
    for (const std::coroutine_handle<> waiter : those) waiter.resume();
  }
};

Task untraced(Event& event);
