// Coroutine types as libraries define them, without skein, for the tests of skein/coroutine.h.
#pragma once
#include <doctest/doctest.h>

#include <coroutine>
#include <exception>
#include <string>
#include <utility>
#include <vector>

using Words = std::vector<std::string>;

namespace doctest {
template <>
struct StringMaker<Words> {
  static String convert(const Words& words) {
    std::string text;
    for (const std::string& w : words) text += "\n  " + w;
    return text.c_str();
  }
};
}  // namespace doctest

namespace library {

// A lazy task with symmetric transfer, as in libcoro or cppcoro.
template <class T>
struct Task {
  struct promise_type {
    T value{};
    std::exception_ptr error;
    std::coroutine_handle<> continuation;
    Task get_return_object() { return Task{Handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(
          std::coroutine_handle<promise_type> h) noexcept {  // typed: it must get its own promise
        auto next = h.promise().continuation;
        return next ? next : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(T v) { value = std::move(v); }
    void unhandled_exception() { error = std::current_exception(); }
  };
  using Handle = std::coroutine_handle<promise_type>;
  explicit Task(Handle h) : handle(h) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  struct Awaiter {
    Handle handle;
    bool await_ready() { return handle.done(); }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) {
      handle.promise().continuation = h;
      return handle;
    }
    T await_resume() {
      if (handle.promise().error) std::rethrow_exception(handle.promise().error);
      return std::move(handle.promise().value);
    }
  };
  Awaiter operator co_await() && { return {handle}; }
  T run() {
    handle.resume();
    return Awaiter{handle}.await_resume();
  }
  Handle handle;
};

// Eager and detached: final_suspend does not suspend, the frame destroys itself.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

struct Event {
  std::coroutine_handle<> waiter;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { waiter = h; }
  void await_resume() {}
};

inline Task<int> value(int x) { co_return x; }

// The parts of a promise that most tests do not vary, and the owner of a coroutine.
struct Basics {
  std::suspend_always initial_suspend() { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void unhandled_exception() { throw; }
};
template <class P>
struct Owner {
  std::coroutine_handle<P> handle;
  explicit Owner(P& p) : handle(std::coroutine_handle<P>::from_promise(p)) {}
  Owner(Owner&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Owner() {
    if (handle) handle.destroy();
  }
  P& next() {
    handle.resume();
    return handle.promise();
  }
};

}  // namespace library
