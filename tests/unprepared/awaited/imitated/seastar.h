// Types with the names and the layout of Seastar's, as far as a debugger sees them, for where Seastar is not installed:
// futures and promises that have each other's addresses, coroutines whose promise object is a task, a semaphore whose
// first waiter has a block of its own, a condition variable with a ring of waiters, a gate with a promise. Nothing is
// ever scheduled.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <utility>

namespace seastar {

class task {
 public:
  virtual void run_and_dispose() noexcept = 0;
  virtual task* waiting_task() noexcept = 0;

 protected:
  ~task() = default;

 private:
  std::source_location resume_point_ = {};
  unsigned group_ = 0;
};

template <typename T = void>
class future;

namespace internal {

struct future_state {
  uintptr_t state = 1;
  void* exception = nullptr;
};
class promise_base;

class future_base {
 public:
  void set_coroutine(task& coroutine);

 protected:
  explicit future_base(promise_base* promise) : promise_(promise) {}
  promise_base* promise_;
};

class promise_base {
 public:
  promise_base() = default;
  promise_base(const promise_base&) = delete;

 protected:
  friend class future_base;
  template <typename T>
  friend class seastar::future;
  future_base* future_ = nullptr;
  future_state* state_ = &local_;
  task* task_ = nullptr;
  future_state local_ = {};
};

inline void future_base::set_coroutine(task& coroutine) { promise_->task_ = &coroutine; }

}  // namespace internal

template <typename T>
class future : private internal::future_base {
 public:
  explicit future(internal::promise_base* promise) : future_base(promise) { attach(); }
  future(future&& other) noexcept : future_base(std::exchange(other.promise_, nullptr)) { attach(); }
  ~future() {
    if (promise_ == nullptr) return;
    promise_->future_ = nullptr;
    promise_->state_ = nullptr;
  }
  using future_base::set_coroutine;

 private:
  void attach() {
    promise_->future_ = this;
    promise_->state_ = &state_;
  }
  internal::future_state state_ = {};
};

template <typename T = void>
class promise : private internal::promise_base {
 public:
  future<T> get_future() { return future<T>(this); }
  task* waiting_task() { return task_; }
};

namespace internal {

template <bool checks_preempt, typename T>
struct awaiter {
  explicit awaiter(future<T>&& f) : future_(std::move(f)) {}
  bool await_ready() const { return false; }
  template <typename Promise>
  void await_suspend(std::coroutine_handle<Promise> handle) {
    future_.set_coroutine(handle.promise());
  }
  void await_resume() {}
  future<T> future_;
};

template <typename T = void>
class coroutine_traits_base {
 public:
  class promise_type final : public task {
   public:
    future<T> get_return_object() { return promise_.get_future(); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
    void run_and_dispose() noexcept override {
      std::coroutine_handle<promise_type>::from_promise(*this).resume();
    }
    task* waiting_task() noexcept override { return promise_.waiting_task(); }

   private:
    promise<T> promise_;
  };
};

}  // namespace internal

template <typename T>
auto operator co_await(future<T>&& f) {
  return internal::awaiter<true, T>(std::move(f));
}

template <typename Clock = int>
class basic_semaphore {
 public:
  explicit basic_semaphore(size_t count) : count_(static_cast<ptrdiff_t>(count)) {}
  future<> wait() {
    if (!front_) {
      front_ = std::make_unique<Entry>();
      return front_->waiting.get_future();
    }
    return rest_.emplace_back().waiting.get_future();
  }

 private:
  struct Entry {
    promise<> waiting;
    size_t units = 1;
  };
  ptrdiff_t count_;
  std::exception_ptr broken_;
  std::unique_ptr<Entry> front_;
  std::deque<Entry> rest_;
};
using semaphore = basic_semaphore<>;

class condition_variable {
 public:
  condition_variable() : next_{&next_, &next_} {}
  future<> wait() {
    auto* waiter = new promise_waiter;
    waiter->link = {&next_, next_.before};
    next_.before->next = &waiter->link;
    next_.before = &waiter->link;
    return waiter->waiting.get_future();
  }

 private:
  struct Link {
    Link* next = nullptr;
    Link* before = nullptr;
  };
  struct waiter {
    virtual ~waiter() = default;
    Link link;
  };
  struct promise_waiter : waiter {
    promise<> waiting;
  };
  Link next_;
};

class gate {
 public:
  void enter() { count_++; }
  future<> close() { return stopped_.emplace().get_future(); }

 private:
  size_t count_ = 0;
  std::optional<promise<>> stopped_;
};

}  // namespace seastar

namespace std {
template <typename T, typename... Arguments>
class coroutine_traits<seastar::future<T>, Arguments...> : public seastar::internal::coroutine_traits_base<T> {};
}  // namespace std
