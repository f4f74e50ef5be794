// Coroutines whose waiters are noted elsewhere than in a handle at the beginning of their promise:
// paths as in burn.h.
//
// path 1: serve:a compute:b leaf
// path 2: serve:a compute
// path 3: serve:c once
// path 4: idle
// path 5: serve:c once:d leaf
#include <coroutine>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "burn.h"

namespace app {

using Handle = std::coroutine_handle<>;

std::atomic<bool> is_over = false;

// Runs coroutines in one thread. Promises have its address, and it has handles.
struct Queue {
  std::mutex mutex = {};
  Handle next[4] = {};
  void post(Handle handle) {
    const std::lock_guard lock(mutex);
    for (Handle& one : next)
      if (!one) {
        one = handle;
        return;
      }
    std::terminate();
  }
  Handle take() {
    const std::lock_guard lock(mutex);
    const Handle first = std::exchange(next[0], nullptr);
    for (int i = 0; i < 3; i++) std::swap(next[i], next[i + 1]);
    return first;
  }
};
Queue queue;

struct Hop {
  Queue* to = &queue;
  bool await_ready() const noexcept { return false; }
  void await_suspend(Handle handle) const { to->post(handle); }
  void await_resume() const noexcept {}
};

// The result is in the promise, to which the one that waits for it has a pointer.
struct State {
  std::atomic<int> phase = 0;
  Handle waiter = nullptr;
  Handle done = nullptr;
  int value = 0;
};
struct [[nodiscard]] Result {
  struct promise_type {
    Queue* home = &queue;
    const char* name = "result";
    State state = {};
    Result get_return_object() { return Result{&state}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    struct Last {
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> own) noexcept {
        State& state = own.promise().state;
        state.done = own;
        if (state.phase.exchange(2) == 1) state.waiter.resume();
      }
      void await_resume() noexcept {}
    };
    Last final_suspend() noexcept { return {}; }
    void return_value(int result) { state.value = result; }
    void unhandled_exception() { std::terminate(); }
  };
  State* state;
  explicit Result(State* of) : state(of) {}
  Result(Result&& other) noexcept : state(std::exchange(other.state, nullptr)) {}
  ~Result() {
    if (state != nullptr && state->done) state->done.destroy();
  }
  bool await_ready() const { return state->phase == 2; }
  bool await_suspend(Handle handle) {
    state->waiter = handle;
    int idle = 0;
    return state->phase.compare_exchange_strong(idle, 1);
  }
  int await_resume() { return state->value; }
};

// Many may wait, each with an object in a list.
struct [[nodiscard]] Shared {
  struct Awaiter;
  struct promise_type {
    std::atomic<void*> waiters = this;  // this: it has not begun
    Queue* home = &queue;
    Shared get_return_object() {
      return Shared{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Last {
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> own) noexcept;
      void await_resume() noexcept {}
    };
    Last final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  struct Awaiter {
    std::coroutine_handle<promise_type> awaited;
    Handle waiter = nullptr;
    Awaiter* next = nullptr;
    bool await_ready() const { return awaited.done(); }
    bool await_suspend(Handle handle) {
      promise_type& promise = awaited.promise();
      waiter = handle;
      void* old = promise.waiters.load();
      if (old == &promise) {
        promise.waiters = nullptr;
        awaited.resume();
        old = promise.waiters.load();
      }
      do {
        if (old == &awaited) return false;
        next = static_cast<Awaiter*>(old);
      } while (!promise.waiters.compare_exchange_weak(old, this));
      return !awaited.done();
    }
    void await_resume() noexcept {}
  };
  explicit Shared(std::coroutine_handle<promise_type> own) : handle(own) {}
  Shared(Shared&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Shared() {
    if (handle) handle.destroy();
  }
  Awaiter operator co_await() const { return {handle}; }
  std::coroutine_handle<promise_type> handle;
};
void Shared::promise_type::Last::await_suspend(
    std::coroutine_handle<promise_type> own) noexcept {
  Awaiter* waiter = static_cast<Awaiter*>(own.promise().waiters.load());
  while (waiter != nullptr) std::exchange(waiter, waiter->next)->waiter.resume();
}

// One that none waits for.
struct Detached {
  struct promise_type {
    Queue* home = &queue;
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

Result leaf(int path) {
  co_await Hop();
  if (path == 1) burn<1>(100);
  if (path == 5) burn<5>(100);
  co_return 1;
}

Result compute() {
  co_await Hop();
  burn<2>(100);
  co_return co_await leaf(1);  // b
}

Shared once() {
  co_await Hop();
  burn<3>(100);
  sink = sink + static_cast<unsigned>(co_await leaf(5));  // d
}

Detached serve() {
  while (!is_over) {
    sink = sink + static_cast<unsigned>(co_await compute());  // a
    const Shared shared = once();
    co_await shared;  // c
    co_await Hop();
  }
}

Detached idle(Queue* to) {
  while (!is_over) {
    co_await Hop{to};
    burn<4>(100);
  }
}

}  // namespace app

int main(int, char** words) {
  app::serve();
  app::idle(&app::queue);
  std::thread thread([] {
    while (!app::is_over)
      if (const app::Handle next = app::queue.take()) next.resume();
  });
  app::sleep_for(words[1]);
  app::is_over = true;
  thread.join();
  app::report();
}
