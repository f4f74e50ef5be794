// A small runtime of the kind that projects write for themselves: a lazy task, an event loop of one
// thread with timers, and what tasks synchronise with.
#pragma once
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "case.h"

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

template <class T>
class Task;

struct Promise_base {
  std::coroutine_handle<> continuation = std::noop_coroutine();
  std::exception_ptr error;
  std::suspend_always initial_suspend() noexcept { return {}; }
  struct Final {
    bool await_ready() noexcept { return false; }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> self) noexcept {
      return self.promise().continuation;
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
  void unhandled_exception() { error = std::current_exception(); }
};

template <class T>
struct Promise : Promise_base {
  std::optional<T> value;
  Task<T> get_return_object();
  void return_value(T result) { value.emplace(std::move(result)); }
  T take() {
    if (error) std::rethrow_exception(error);
    return std::move(*value);
  }
};
template <>
struct Promise<void> : Promise_base {
  Task<void> get_return_object();
  void return_void() {}
  void take() {
    if (error) std::rethrow_exception(error);
  }
};

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = Promise<T>;
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }
  bool await_ready() const noexcept { return handle_.done(); }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) noexcept {
    handle_.promise().continuation = waiter;
    return handle_;
  }
  T await_resume() { return handle_.promise().take(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};
template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

// A coroutine that runs by itself, and destroys itself at its end.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
inline Detached spawn(Task<void> task) { co_await std::move(task); }

class Loop {
 public:
  void post(std::coroutine_handle<> handle) { ready_.push_back(handle); }
  void post_at(Clock::time_point time, std::coroutine_handle<> handle) {
    timers_.emplace(time, handle);
  }
  auto sleep(Clock::duration time) {
    struct Awaiter {
      Loop& loop;
      Clock::duration time;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> handle) {
        loop.post_at(Clock::now() + time, handle);
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this, time};
  }
  auto yield() {
    struct Awaiter {
      Loop& loop;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> handle) { loop.post(handle); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  void stop() { stopped_ = true; }

  // Until nothing is left to do. A server with waiting tasks runs until its operator stops it.
  void run(bool is_server = false) {
    const auto end = Clock::now() + truth::patience();
    if (truth::noise() > 0) spawn(chatter(*this, truth::noise()));
    while (!stopped_ && Clock::now() < end && (is_server || !ready_.empty() || !timers_.empty()))
      turn(end);
  }

 private:
  static Task<void> chatter(Loop& loop, int count) {
    for (int i = 0; i < count; ++i)
      if (i % 1000 == 0)
        co_await loop.sleep(1ms);
      else
        co_await loop.yield();
  }
  void turn(Clock::time_point end) {
    while (!timers_.empty() && timers_.begin()->first <= Clock::now()) {
      ready_.push_back(timers_.begin()->second);
      timers_.erase(timers_.begin());
    }
    if (ready_.empty()) {
      std::unique_lock lock(mutex_);
      if (timers_.empty() && truth::patience() >= truth::until_killed) return posted_.wait(lock);
      posted_.wait_until(lock, timers_.empty() ? end : std::min(end, timers_.begin()->first));
      return;
    }
    const std::coroutine_handle<> next = ready_.front();
    ready_.pop_front();
    next.resume();
  }
  // Other threads might post; in these programs none does.
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::coroutine_handle<>> ready_;
  std::multimap<Clock::time_point, std::coroutine_handle<>> timers_;
  bool stopped_ = false;
};

// Wakes those who wait now; does not remember.
class Signal {
 public:
  explicit Signal(Loop& loop) : loop_(loop) {}
  auto wait() {
    struct Awaiter {
      Signal& signal;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> handle) { signal.waiters_.push_back(handle); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  void notify_all() {
    for (const auto waiter : std::exchange(waiters_, {})) loop_.post(waiter);
  }
  void notify_one() {
    if (waiters_.empty()) return;
    loop_.post(waiters_.front());
    waiters_.pop_front();
  }

 private:
  Loop& loop_;
  std::deque<std::coroutine_handle<>> waiters_;
};

class Latch {
 public:
  Latch(Loop& loop, int count) : done_(loop), left_(count) {}
  void count_down() {
    if (--left_ == 0) done_.notify_all();
  }
  Task<> wait() {
    if (left_ > 0) co_await done_.wait();
  }

 private:
  Signal done_;
  int left_;
};

class Mutex {
 public:
  explicit Mutex(Loop& loop) : freed_(loop) {}
  Task<> lock() {
    while (locked_) co_await freed_.wait();
    locked_ = true;
  }
  void unlock() {
    locked_ = false;
    freed_.notify_one();
  }

 private:
  Signal freed_;
  bool locked_ = false;
};

template <class T>
class Channel {
 public:
  Channel(Loop& loop, std::size_t capacity) : filled_(loop), drained_(loop), capacity_(capacity) {}
  Task<> send(T value) {
    while (queue_.size() >= capacity_) co_await drained_.wait();
    queue_.push_back(std::move(value));
    filled_.notify_one();
  }
  // Empty: closed.
  Task<std::optional<T>> receive() {
    while (queue_.empty() && !closed_) co_await filled_.wait();
    if (queue_.empty()) co_return std::nullopt;
    T value = std::move(queue_.front());
    queue_.pop_front();
    drained_.notify_one();
    co_return value;
  }
  void close() {
    closed_ = true;
    filled_.notify_all();
  }

 private:
  Signal filled_, drained_;
  std::size_t capacity_;
  std::deque<T> queue_;
  bool closed_ = false;
};

template <class T>
class Generator {
 public:
  struct promise_type {
    std::optional<T> value;
    Generator get_return_object() {
      return Generator(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T next) {
      value = std::move(next);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  explicit Generator(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Generator(Generator&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~Generator() {
    if (handle_) handle_.destroy();
  }
  std::optional<T> next() {
    handle_.promise().value.reset();
    if (!handle_.done()) handle_.resume();
    return std::move(handle_.promise().value);
  }

 private:
  std::coroutine_handle<promise_type> handle_;
};

// Starts all tasks, and waits for all.
inline Task<> when_all(Loop& loop, std::vector<Task<>> tasks) {
  Latch latch(loop, static_cast<int>(tasks.size()));
  const auto one = [](Task<> task, Latch& all) -> Task<> {
    co_await std::move(task);
    all.count_down();
  };
  for (Task<>& task : tasks) spawn(one(std::move(task), latch));
  co_await latch.wait();
}
