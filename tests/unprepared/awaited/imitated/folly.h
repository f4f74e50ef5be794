// Types with the names and the layout of folly::coro's, as far as a debugger sees them, for where folly is not
// installed: tasks with a handle and a second address as their continuation, adapters that resume a coroutine on its
// executor, a baton and a mutex with lists of awaiters, a barrier for collectAll.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace folly {

struct AsyncStackFrame {
  AsyncStackFrame* parent = nullptr;
  void* instruction = nullptr;
  void* root = nullptr;
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual void add(std::function<void()> work) = 0;
  // With a flag in its lowest bit.
  class KeepAlive {
   public:
    explicit KeepAlive(Executor* executor = nullptr) : word_(reinterpret_cast<uintptr_t>(executor) | 2) {}
    Executor* get() const { return reinterpret_cast<Executor*>(word_ & ~uintptr_t{3}); }

   private:
    uintptr_t word_;
  };
};

class ManualExecutor : public Executor {
 public:
  void add(std::function<void()> work) override { queue_.push_back(std::move(work)); }
  void drain() {
    for (; !queue_.empty(); queue_.pop_front()) queue_.front()();
  }

 private:
  std::deque<std::function<void()>> queue_;
};

namespace coro {

class ExtendedCoroutineHandle {
 public:
  ExtendedCoroutineHandle() = default;
  template <typename Promise>
  explicit ExtendedCoroutineHandle(std::coroutine_handle<Promise> handle)
      : basic_(handle), extended_(&handle.promise()) {}
  std::coroutine_handle<> handle() const { return basic_; }

 private:
  std::coroutine_handle<> basic_;
  void* extended_ = nullptr;
};

namespace detail {

class ViaCoroutinePromiseBase {
 public:
  virtual ~ViaCoroutinePromiseBase() = default;
  std::suspend_always initial_suspend() noexcept { return {}; }
  void return_void() noexcept {}
  void unhandled_exception() noexcept { std::terminate(); }

  Executor::KeepAlive executor;
  ExtendedCoroutineHandle continuation;
  AsyncStackFrame leaf;
  std::shared_ptr<int> context;
};

template <bool is_stack_aware>
class ViaCoroutine {
 public:
  class promise_type final : public ViaCoroutinePromiseBase {
   public:
    struct FinalAwaiter {
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        ViaCoroutinePromiseBase* promise = &h.promise();
        promise->executor.get()->add([promise] { promise->continuation.handle().resume(); });
      }
      void await_resume() noexcept {}
    };
    ViaCoroutine get_return_object() noexcept {
      return ViaCoroutine(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    FinalAwaiter final_suspend() noexcept { return {}; }
  };

  static ViaCoroutine create(Executor::KeepAlive executor) {
    ViaCoroutine made = createImpl();
    made.coro.promise().executor = executor;
    return made;
  }
  ViaCoroutine(ViaCoroutine&& other) noexcept : coro(std::exchange(other.coro, {})) {}
  ~ViaCoroutine() { destroy(); }
  void destroy() {
    if (coro) std::exchange(coro, {}).destroy();
  }

  std::coroutine_handle<promise_type> coro;

 private:
  explicit ViaCoroutine(std::coroutine_handle<promise_type> handle) : coro(handle) {}
  static ViaCoroutine createImpl() { co_return; }
};

}  // namespace detail

// What is awaited has the handle of the adapter.
template <typename Awaitable>
class StackAwareViaIfAsyncAwaiter {
 public:
  StackAwareViaIfAsyncAwaiter(Executor::KeepAlive executor, Awaitable awaitable)
      : via_(detail::ViaCoroutine<true>::create(executor)), awaiter_(std::move(awaitable)) {}
  bool await_ready() { return awaiter_.await_ready(); }
  template <typename Promise>
  auto await_suspend(std::coroutine_handle<Promise> h) {
    via_.coro.promise().continuation = ExtendedCoroutineHandle(h);
    via_.coro.promise().leaf.parent = &h.promise().async_frame;
    return awaiter_.await_suspend(via_.coro);
  }
  auto await_resume() {
    via_.destroy();
    return awaiter_.await_resume();
  }

 private:
  detail::ViaCoroutine<true> via_;
  Awaitable awaiter_;
};

class Baton {
 public:
  class WaitOperation {
   public:
    explicit WaitOperation(const Baton& baton) : baton_(baton) {}
    bool await_ready() const { return baton_.state_ == &baton_; }
    void await_suspend(std::coroutine_handle<> handle) {
      awaitingCoroutine_ = handle;
      next_ = static_cast<WaitOperation*>(baton_.state_.load());
      baton_.state_ = this;
    }
    void await_resume() {}

   private:
    friend class Baton;
    const Baton& baton_;
    std::coroutine_handle<> awaitingCoroutine_;
    WaitOperation* next_ = nullptr;
  };
  WaitOperation wait() const { return WaitOperation(*this); }
  void post() {
    auto* awaiter = static_cast<WaitOperation*>(state_.exchange(this));
    while (awaiter != nullptr) std::exchange(awaiter, awaiter->next_)->awaitingCoroutine_.resume();
  }

 private:
  mutable std::atomic<void*> state_ = nullptr;
};

// Locked with its address as its state: free. Locked: null, or the awaiters that are new.
class Mutex {
 public:
  class LockAwaiter {
   public:
    explicit LockAwaiter(Mutex& mutex) : mutex_(mutex) {}
    bool await_ready() { return mutex_.try_lock(); }
    void await_suspend(std::coroutine_handle<> handle) {
      awaitingCoroutine_ = handle;
      next_ = static_cast<LockAwaiter*>(mutex_.state_.load());
      mutex_.state_ = this;
    }
    void await_resume() {}

   protected:
    Mutex& mutex_;

   private:
    friend class Mutex;
    std::coroutine_handle<> awaitingCoroutine_;
    LockAwaiter* next_ = nullptr;
  };
  class ScopedLockAwaiter : public LockAwaiter {
   public:
    using LockAwaiter::LockAwaiter;
    std::unique_lock<Mutex> await_resume() { return {mutex_, std::adopt_lock}; }
  };
  ScopedLockAwaiter co_scoped_lock() { return ScopedLockAwaiter(*this); }
  LockAwaiter co_lock() { return LockAwaiter(*this); }
  bool try_lock() {
    void* free = this;
    return state_.compare_exchange_strong(free, nullptr);
  }
  void lock() { std::terminate(); }
  void unlock() {
    if (waiters_ == nullptr) {
      auto* added = static_cast<LockAwaiter*>(state_.exchange(nullptr));
      while (added != nullptr) {
        LockAwaiter* next = std::exchange(added->next_, waiters_);
        waiters_ = std::exchange(added, next);
      }
    }
    if (waiters_ == nullptr)
      state_ = this;
    else
      std::exchange(waiters_, waiters_->next_)->awaitingCoroutine_.resume();
  }

 private:
  std::atomic<void*> state_ = this;
  LockAwaiter* waiters_ = nullptr;
};

namespace detail {

class Barrier {
 public:
  explicit Barrier(size_t count) : count_(count) {}
  std::coroutine_handle<> arrive() {
    return count_.fetch_sub(1) == 1 ? std::exchange(continuation_, {}) : std::noop_coroutine();
  }
  class Awaiter {
   public:
    explicit Awaiter(Barrier& barrier) : barrier_(barrier) {}
    bool await_ready() { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> handle) {
      barrier_.continuation_ = handle;
      barrier_.frame_ = &handle.promise().async_frame;
      return barrier_.arrive();
    }
    void await_resume() {}

   private:
    Barrier& barrier_;
  };
  Awaiter arriveAndWait() { return Awaiter(*this); }

 private:
  std::atomic<size_t> count_;
  std::coroutine_handle<> continuation_;
  AsyncStackFrame* frame_ = nullptr;
};

}  // namespace detail

template <typename T>
class Task;

template <>
class Task<void> {
 public:
  class promise_type {
   public:
    struct FinalAwaiter {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().continuation.handle();
      }
      void await_resume() noexcept {}
    };
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    FinalAwaiter final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
    auto await_transform(Task<void> task) { return std::move(task).awaiter(executor); }
    auto await_transform(detail::Barrier::Awaiter awaiter) { return awaiter; }
    auto await_transform(const Baton& baton) { return StackAwareViaIfAsyncAwaiter(executor, baton.wait()); }
    template <typename Awaiter>
    auto await_transform(Awaiter awaiter) {
      return StackAwareViaIfAsyncAwaiter<Awaiter>(executor, std::move(awaiter));
    }

    ExtendedCoroutineHandle continuation;
    AsyncStackFrame async_frame;
    Executor::KeepAlive executor;
    uintptr_t cancel_token = 0;
  };
  using Handle = std::coroutine_handle<promise_type>;

  class Awaiter {
   public:
    explicit Awaiter(Handle coro) : coro_(coro) {}
    Awaiter(Awaiter&& other) noexcept : coro_(std::exchange(other.coro_, {})) {}
    ~Awaiter() {
      if (coro_) coro_.destroy();
    }
    bool await_ready() { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) {
      coro_.promise().continuation = ExtendedCoroutineHandle(h);
      coro_.promise().async_frame.parent = &h.promise().async_frame;
      return coro_;
    }
    void await_resume() {}

   private:
    Handle coro_;
  };

  Task(Task&& other) noexcept : coro_(std::exchange(other.coro_, {})) {}
  ~Task() {
    if (coro_) coro_.destroy();
  }
  Awaiter awaiter(Executor::KeepAlive executor) && {
    coro_.promise().executor = executor;
    return Awaiter(std::exchange(coro_, {}));
  }
  Task scheduleOn(Executor* executor) && {
    coro_.promise().executor = Executor::KeepAlive(executor);
    return std::move(*this);
  }
  template <typename Callback>
  void start(Callback callback) &&;

 private:
  explicit Task(Handle coro) : coro_(coro) {}
  Handle coro_;
};

namespace detail {

class InlineTaskDetached {
 public:
  class promise_type {
   public:
    InlineTaskDetached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
    AsyncStackFrame async_frame;
  };
};

template <typename Callback>
InlineTaskDetached startImpl(Task<void> task, Executor::KeepAlive executor, Callback callback) {
  co_await std::move(task).awaiter(executor);
  callback(0);
}

class BarrierTask {
 public:
  class promise_type {
   public:
    struct FinalAwaiter {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().barrier->arrive();
      }
      void await_resume() noexcept {}
    };
    BarrierTask get_return_object() {
      return BarrierTask(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    FinalAwaiter final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
    AsyncStackFrame async_frame;
    Barrier* barrier = nullptr;
  };
  BarrierTask(BarrierTask&& other) noexcept : coro_(std::exchange(other.coro_, {})) {}
  ~BarrierTask() {
    if (coro_) coro_.destroy();
  }
  void start(Barrier* barrier) {
    coro_.promise().barrier = barrier;
    coro_.resume();
  }

 private:
  explicit BarrierTask(std::coroutine_handle<promise_type> coro) : coro_(coro) {}
  std::coroutine_handle<promise_type> coro_;
};

inline BarrierTask make_barrier_task(Task<void> task, Executor::KeepAlive executor) {
  co_await std::move(task).awaiter(executor);
}

template <typename... Tasks>
Task<void> collectAllImpl(ManualExecutor* executor, Tasks... tasks) {
  Barrier barrier(sizeof...(tasks) + 1);
  BarrierTask all[] = {make_barrier_task(std::move(tasks), Executor::KeepAlive(executor))...};
  for (BarrierTask& one : all) one.start(&barrier);
  co_await barrier.arriveAndWait();
}

}  // namespace detail

template <typename Callback>
void Task<void>::start(Callback callback) && {
  Executor* executor = coro_.promise().executor.get();
  executor->add([executor, callback, coro = std::exchange(coro_, {})] {
    detail::startImpl(Task<void>(coro), Executor::KeepAlive(executor), callback);
  });
}

}  // namespace coro
}  // namespace folly
