// Two transfers between two accounts, in opposite directions, each of which waits for the lock that
// the other one holds. The program has its own lock and task. It prints "ready" when both wait.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <utility>

namespace {

struct Task {
  struct promise_type {
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> handle) noexcept {
        const std::coroutine_handle<> next = handle.promise().continuation;
        return next ? next : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    std::coroutine_handle<> continuation = {};
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  explicit Task(std::coroutine_handle<promise_type> own) : handle(own) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    handle.promise().continuation = waiter;
    return handle;
  }
  void await_resume() {}
  std::coroutine_handle<promise_type> handle;
};

std::deque<std::coroutine_handle<>> runnable;

struct Mutex {
  struct Guard {
    explicit Guard(Mutex* own) : mutex(own) {}
    Guard(Guard&& other) noexcept : mutex(std::exchange(other.mutex, nullptr)) {}
    ~Guard() {
      if (mutex) mutex->unlock();
    }
    Mutex* mutex;
  };
  struct Awaiter {
    bool await_ready() { return !std::exchange(mutex.locked, true); }
    void await_suspend(std::coroutine_handle<> handle) { mutex.waiters.push_back(handle); }
    Guard await_resume() { return Guard(&mutex); }
    Mutex& mutex;
  };
  Awaiter lock() { return {*this}; }
  void unlock() {
    if (waiters.empty()) {
      locked = false;
      return;
    }
    runnable.push_back(waiters.front());
    waiters.pop_front();
  }
  bool locked = false;
  std::deque<std::coroutine_handle<>> waiters = {};
};

struct Yield {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { runnable.push_back(handle); }
  void await_resume() {}
};

struct Account {
  Mutex mutex = {};
  int balance = 100;
};

Task transfer(Account& from, Account& to, int amount) {
  auto first = co_await from.mutex.lock();
  co_await Yield{};
  auto second = co_await to.mutex.lock();
  from.balance -= amount;
  to.balance += amount;
}

Task transfer_often(Account& from, Account& to) {
  for (int i = 0; i < 5; i++) co_await transfer(from, to, i);
}

}  // namespace

int main() {
  Account a;
  Account b;
#ifdef ON_STACK  // clang puts their frames there
  const Task there = transfer_often(a, b);
  const Task back = transfer_often(b, a);
  runnable = {there.handle, back.handle};
#else
  std::deque<Task> tasks;
  tasks.push_back(transfer_often(a, b));
  tasks.push_back(transfer_often(b, a));
  for (const Task& task : tasks) runnable.push_back(task.handle);
#endif
  while (!runnable.empty()) {
    const std::coroutine_handle<> next = runnable.front();
    runnable.pop_front();
    next.resume();
  }
  std::puts("ready");
  std::fflush(stdout);
  pause();
}
