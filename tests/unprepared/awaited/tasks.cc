// Tasks that are their own awaiters, and tasks that several coroutines await: these have lists of their waiters, which
// have the handle of the task, but the task has none of theirs.
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "detached.h"

namespace app {

using handle = std::coroutine_handle<>;

struct event {
  struct awaiter {
    event& of;
    handle waiter = {};
    awaiter* next = nullptr;
    bool await_ready() { return false; }
    void await_suspend(handle h) {
      waiter = h;
      next = std::exchange(of.first, this);
    }
    void await_resume() {}
  };
  awaiter operator co_await() { return {*this}; }
  awaiter* first = nullptr;
};
event never;

// Its own awaiter; not begun before it is awaited.
struct direct {
  struct promise_type {
    handle continuation = {};
    direct get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct resumption {
        bool await_ready() noexcept { return false; }
        handle await_suspend(std::coroutine_handle<promise_type> of) noexcept { return of.promise().continuation; }
        void await_resume() noexcept {}
      };
      return resumption{};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> coroutine;
  bool await_ready() { return coroutine.done(); }
  handle await_suspend(handle waiter) {
    coroutine.promise().continuation = waiter;
    return coroutine;
  }
  void await_resume() {}
};
direct leaf() { co_await never; }
direct second_leaf() { co_await never; }
direct third_leaf() { co_await never; }
direct of_temporary() { co_await leaf(); }
direct of_local() {
  direct one = second_leaf();
  co_await one;
}
direct of_moved() {
  direct one = third_leaf();
  direct unused = second_leaf();
  co_await std::move(one);
  co_await unused;
}

// By reference, and beside it the handle of what awaits it.
direct fourth_leaf() { co_await never; }
struct runner {
  direct task;
  handle own = {};
};
direct runs(direct& mine) { co_await mine; }

// Awaited by several: a list of awaiters.
class shared {
 public:
  struct promise_type;

 private:
  struct awaiter {
    std::coroutine_handle<promise_type> of;
    handle waiter = {};
    awaiter* next = nullptr;
    bool await_ready() const noexcept { return !of || of.done(); }
    bool await_suspend(handle h);
    void await_resume() {}
  };

 public:
  struct promise_type {
    awaiter* waiters = nullptr;
    int references = 1;
    shared get_return_object() { return shared(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  explicit shared(std::coroutine_handle<promise_type> of) : coroutine_(of) {}
  awaiter operator co_await() const noexcept { return {coroutine_}; }

 private:
  std::coroutine_handle<promise_type> coroutine_;
};
bool shared::awaiter::await_suspend(handle h) {
  waiter = h;
  next = std::exchange(of.promise().waiters, this);
  return true;
}
shared connect() { co_await never; }
Detached first_user(shared connection) { co_await connection; }
Detached second_user(const shared& connection) { co_await connection; }

// Awaited by several: handles in a vector; it is its own awaiter.
struct joinable {
  struct promise_type {
    std::vector<handle> waiters = {};
    joinable get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      for (const handle one : waiters) one.resume();
      return std::suspend_always();
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> coroutine;
  bool await_ready() { return coroutine.done(); }
  void await_suspend(handle waiter) { coroutine.promise().waiters.push_back(waiter); }
  void await_resume() {}
};
joinable load() { co_await never; }
Detached first_reader(joinable& data) { co_await data; }
Detached second_reader(joinable data) { co_await data; }

// A task that waits for itself, by way of what it shares with another one.
struct box {
  std::unique_ptr<joinable> task;
};
event started;
joinable waits_for_itself(box& mine) {
  co_await started;
  co_await *mine.task;
}

void resume_all(event& of) {
  for (event::awaiter* one = std::exchange(of.first, nullptr); one != nullptr;) {
    event::awaiter* const next = one->next;
    one->waiter.resume();
    one = next;
  }
}

}  // namespace app

int main() {
  app::of_temporary().coroutine.resume();
  app::of_local().coroutine.resume();
  app::of_moved().coroutine.resume();
  awaits("of_temporary", "leaf");
  awaits("of_local", "second_leaf");
  awaits("of_moved", "third_leaf");
  static app::runner beside{app::fourth_leaf()};
  const app::direct running = app::runs(beside.task);
  beside.own = running.coroutine;
  beside.own.resume();
  awaits("runs", "fourth_leaf");
  static app::shared connection = app::connect();
  app::first_user(connection);
  app::second_user(connection);
  awaits("first_user", "connect");
  awaits("second_user", "connect");
  static app::joinable data = app::load();
  app::first_reader(data);
  app::second_reader(data);
  awaits("first_reader", "load");
  awaits("second_reader", "load");
  static app::box own;
  own.task = std::make_unique<app::joinable>(app::waits_for_itself(own));
  app::resume_all(app::started);
  awaits("waits_for_itself", "waits_for_itself");
  deadlock("waits_for_itself");
  for (const char* one : {"leaf", "second_leaf", "third_leaf", "fourth_leaf", "connect", "load"}) waits(one, &app::never, "app::event");
  ready();
}
