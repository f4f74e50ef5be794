// Coroutines and their scheduler: tasks wait for ticks of the timer, or for each other.
#pragma once
#include <skein/record.h>

#include <coroutine>

#include "kernel.h"

struct task {
  struct promise_type {
    std::coroutine_handle<> waiter = std::noop_coroutine();

    task get_return_object() {
      return task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct resume_waiter {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
          return h.promise().waiter;
        }
        void await_resume() noexcept {}
      };
      return resume_waiter{};
    }
    void return_void() {}
    void unhandled_exception() {}
  };

  explicit task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  task(task&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  ~task() {
    if (handle_) handle_.destroy();
  }

  auto operator co_await() {
    struct awaiter {
      std::coroutine_handle<promise_type> handle;
      bool await_ready() { return handle.done(); }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
        handle.promise().waiter = waiter;
        return handle;
      }
      void await_resume() {}
    };
    return awaiter{handle_};
  }
  void start() { handle_.resume(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

class Loop {
 public:
  // co_await: waits for at least this many ticks.
  auto sleep(uint64_t ticks) {
    struct awaiter {
      Loop& loop;
      uint64_t ticks;
      bool await_ready() { return false; }
      void await_suspend(std::coroutine_handle<> h) { loop.add(h, kernel::now() + ticks); }
      void await_resume() {}
    };
    return awaiter{*this, ticks};
  }

  [[noreturn]] void run() {
    const uint32_t reason = skein_enabled() != 0 ? skein_string("hlt") : 0;
    for (;;) {
      if (run_one()) continue;
      if (skein_enabled()) skein_idle(reason);
      kernel::wait_for_interrupt();
      if (skein_enabled()) skein_wake(reason);
    }
  }

 private:
  struct Sleeper {
    std::coroutine_handle<> handle;
    uint64_t until;
  };
  static constexpr unsigned most = 64;

  void add(std::coroutine_handle<> handle, uint64_t until) {
    if (count_ == most) kernel::panic("too many timers");
    sleepers_[count_++] = {handle, until};
  }
  // The one that waits for the earliest time.
  bool run_one() {
    unsigned first = 0;
    for (unsigned i = 1; i < count_; ++i)
      if (sleepers_[i].until < sleepers_[first].until) first = i;
    if (count_ == 0 || sleepers_[first].until > kernel::now()) return false;
    const std::coroutine_handle<> next = sleepers_[first].handle;
    sleepers_[first] = sleepers_[--count_];
    next.resume();
    return true;
  }

  Sleeper sleepers_[most];
  unsigned count_ = 0;
};
