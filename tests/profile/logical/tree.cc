// Coroutines of their own types that wait for each other, on three threads: paths as in burn.h.
//
// path 1: serve:a parse:b leaf
// path 2: serve:a parse
// path 3: serve:c reply:d leaf
// path 4: serve:c reply:e deep:f deep:f deep:f deep:g leaf
// path 5: gather:h leaf
// path 6: gather:m part:i leaf
// path 7: notify
// path 8: notify:j leaf
// path 9: legacy:k call:l old_leaf
// path 10: legacy:k call
// path 11: gather:m part
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "burn.h"

namespace app {

using Handle = std::coroutine_handle<>;

// ---- the threads ----

std::mutex mutex;
std::condition_variable ready;
std::deque<Handle> queue;
std::atomic<bool> is_over = false;

void post(Handle handle) {
  const std::lock_guard lock(mutex);
  queue.push_back(handle);
  ready.notify_one();
}

void work() {
  for (;;) {
    std::unique_lock lock(mutex);
    ready.wait(lock, [] { return !queue.empty() || is_over; });
    if (queue.empty()) return;
    const Handle next = queue.front();
    queue.pop_front();
    lock.unlock();
    next.resume();
  }
}

// Goes on in any thread.
struct Hop {
  bool await_ready() const noexcept { return false; }
  void await_suspend(Handle handle) const { post(handle); }
  void await_resume() const noexcept {}
};

// ---- a task that is resumed by symmetric transfer, or (old) by a nested call ----

template <bool is_old>
struct [[nodiscard]] Task {
  struct promise_type {
    Handle continuation = nullptr;
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Last {
      bool await_ready() noexcept { return false; }
      auto await_suspend(std::coroutine_handle<promise_type> own) noexcept {
        if constexpr (is_old)
          own.promise().continuation.resume();
        else
          return own.promise().continuation;
      }
      void await_resume() noexcept {}
    };
    Last final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  struct Awaiter {
    std::coroutine_handle<promise_type> awaited;
    bool await_ready() noexcept { return false; }
    auto await_suspend(Handle handle) {
      awaited.promise().continuation = handle;
      if constexpr (is_old)
        awaited.resume();
      else
        return awaited;
    }
    void await_resume() noexcept {}
  };
  explicit Task(std::coroutine_handle<promise_type> own) : handle(own) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  Awaiter operator co_await() const { return {handle}; }
  std::coroutine_handle<promise_type> handle;
};

// One that none waits for. Begins at once.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

// Waits for two tasks at the same time.
struct Both {
  struct Counter {
    std::atomic<size_t> count = 0;
    Handle waiter = nullptr;
  };
  struct Part {
    struct promise_type {
      Counter* counter = nullptr;
      Part get_return_object() {
        return {std::coroutine_handle<promise_type>::from_promise(*this)};
      }
      std::suspend_always initial_suspend() noexcept { return {}; }
      struct Last {
        bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<promise_type> own) noexcept {
          Counter& counter = *own.promise().counter;
          if (counter.count.fetch_sub(1) == 1) counter.waiter.resume();
        }
        void await_resume() noexcept {}
      };
      Last final_suspend() noexcept { return {}; }
      void return_void() {}
      void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
  };
  Part first, second;
  Counter counter = {};
  Both(Part a, Part b) : first(a), second(b) {}
  ~Both() {
    first.handle.destroy();
    second.handle.destroy();
  }
  bool await_ready() noexcept { return false; }
  bool await_suspend(Handle handle) {
    counter.waiter = handle;
    counter.count = 3;
    first.handle.promise().counter = second.handle.promise().counter = &counter;
    post(first.handle);
    post(second.handle);
    return counter.count.fetch_sub(1) != 1;
  }
  void await_resume() noexcept {}
};

// ---- the program ----

using New = Task<false>;
using Old = Task<true>;

New leaf(int path) {
  if (path == 1) burn<1>(2);
  if (path == 3) burn<3>(20);
  if (path == 4) burn<4>(100);
  if (path == 5) burn<5>(100);
  if (path == 6) burn<6>(50);
  if (path == 8) burn<8>(50);
  sink = sink + 1;
  co_return;
}

New parse() {
  co_await leaf(1);  // b
  burn<2>(10);
  co_await Hop();
  burn<2>(10);
}

New deep(int depth) {
  if (depth > 0) {
    co_await Hop();
    co_await deep(depth - 1);  // f
  } else {
    co_await leaf(4);  // g
  }
}

New reply() {
  co_await leaf(3);  // d
  co_await deep(3);  // e
}

Detached serve() {
  co_await Hop();
  while (!is_over) {
    co_await parse();  // a
    co_await reply();  // c
  }
}

Both::Part part() {
  burn<11>(100);
  co_await Hop();
  co_await leaf(6);  // i
  burn<11>(100);
}

Detached gather() {
  co_await Hop();
  while (!is_over) {
    co_await leaf(5);  // h
    co_await Both(part(), part());  // m
  }
}

Detached notify() {
  co_await Hop();
  burn<7>(100);
  co_await leaf(8);  // j
}

Old old_leaf() {
  burn<9>(100);
  co_return;
}

Old call() {
  burn<10>(20);
  co_await old_leaf();  // l
  co_await Hop();
  burn<10>(20);
}

Detached legacy() {
  co_await Hop();
  while (!is_over) {
    co_await call();  // k
    notify();
    co_await Hop();
  }
}

}  // namespace app

int main(int, char** words) {
  app::serve();
  app::gather();
  app::legacy();
  std::thread threads[3];
  for (std::thread& thread : threads) thread = std::thread(app::work);
  app::sleep_for(words[1]);
  app::is_over = true;
  {
    const std::lock_guard lock(app::mutex);
    app::ready.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
  app::report();
}
