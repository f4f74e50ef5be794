// A minimal lazy task, generator and when_all, as examples of coroutine types that a program
// defines itself. This file does not depend on skein.
#pragma once
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

template <class T>
class task {
 public:
  struct promise_type {
    std::optional<T> value;
    std::exception_ptr error;
    std::coroutine_handle<> continuation = std::noop_coroutine();

    task get_return_object() {
      return task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct resume_continuation {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
          return h.promise().continuation;
        }
        void await_resume() noexcept {}
      };
      return resume_continuation{};
    }
    void return_value(T v) { value = std::move(v); }
    void unhandled_exception() { error = std::current_exception(); }
  };

  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~task() {
    if (handle_) handle_.destroy();
  }

  auto operator co_await() {
    struct awaiter {
      std::coroutine_handle<promise_type> handle;
      bool await_ready() { return handle.done(); }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> continuation) {
        handle.promise().continuation = continuation;
        return handle;
      }
      T await_resume() { return task::result(handle); }
    };
    return awaiter{handle_};
  }

  // For use outside coroutines. start() runs the task until it suspends; result() requires done().
  void start() { handle_.resume(); }
  bool done() const { return handle_.done(); }
  T result() { return result(handle_); }

 private:
  explicit task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  static T result(std::coroutine_handle<promise_type> handle) {
    if (handle.promise().error) std::rethrow_exception(handle.promise().error);
    return std::move(*handle.promise().value);
  }
  std::coroutine_handle<promise_type> handle_;
};

template <class T>
class generator {
 public:
  struct promise_type {
    std::optional<T> value;
    generator get_return_object() {
      return generator(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T v) {
      value = std::move(v);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };

  generator(generator&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~generator() {
    if (handle_) handle_.destroy();
  }
  // The next value; empty at the end.
  std::optional<T> next() {
    handle_.promise().value.reset();
    handle_.resume();
    return std::move(handle_.promise().value);
  }

 private:
  explicit generator(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

// Starts all tasks and resumes its waiter when the last one has ended.
template <class T>
task<std::vector<T>> when_all(std::vector<task<T>> tasks) {
  struct state {
    std::size_t left;
    std::coroutine_handle<> waiter;
  } all{tasks.size() + 1, nullptr};
  struct detached {
    struct promise_type {
      detached get_return_object() { return {}; }
      std::suspend_never initial_suspend() { return {}; }
      std::suspend_never final_suspend() noexcept { return {}; }
      void return_void() {}
      void unhandled_exception() { std::terminate(); }
    };
  };
  struct until_all {
    state& all;
    bool await_ready() { return --all.left == 0; }
    void await_suspend(std::coroutine_handle<> h) { all.waiter = h; }
    void await_resume() {}
  };
  const auto member = [](task<T>& one, state& s) -> detached {
    try {
      co_await one;
    } catch (...) {
      // The result is read below.
    }
    if (--s.left == 0) s.waiter.resume();
  };
  for (task<T>& one : tasks) member(one, all);
  co_await until_all{all};
  std::vector<T> results;
  for (task<T>& one : tasks) results.push_back(one.result());
  co_return results;
}
