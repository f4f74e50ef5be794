// Coroutines that start others and wait for them together. clang puts the beginnings of the others
// into the code of the one that starts them.
#include "places.h"

namespace SPACE {

struct Latch {
  struct Awaiter {
    Latch& latch;
    bool await_ready() const { return latch.left == 0; }
    void await_suspend(std::coroutine_handle<> of) { latch.waiter = of; }
    void await_resume() {}
  };
  explicit Latch(int count) : left(count) {}
  Awaiter operator co_await() { return {*this}; }
  void count_down() {
    if (--left == 0 && waiter) waiter.resume();
  }
  int left;
  std::coroutine_handle<> waiter = {};
};

// It begins when it is awaited or started.
struct Task {
  struct promise_type {
    std::coroutine_handle<> continuation = {};
    Latch* latch = nullptr;
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> of) noexcept {
        if (of.promise().latch != nullptr) of.promise().latch->count_down();
        const auto next = of.promise().continuation;
        return next ? next : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> of) : handle(of) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> of) {
    handle.promise().continuation = of;
    return handle;
  }
  void await_resume() {}
};

struct WhenAll {
  std::vector<Task> tasks;
  Latch latch;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> of) {
    latch.waiter = of;
    for (Task& one : tasks) {
      one.handle.promise().latch = &latch;
      one.handle.resume();
    }
  }
  void await_resume() {}
};
template <typename... Tasks>
WhenAll when_all(Tasks... tasks) {
  WhenAll all{{}, Latch(sizeof...(tasks))};
  (all.tasks.push_back(std::move(tasks)), ...);
  return all;
}

Detached child(Latch& latch) {
  AT("Event");
  co_await never;
  latch.count_down();
}
Task task_child(int kind) {
  AT("Event");
  co_await never;
  std::printf("%d\n", kind);
}
Detached run(Task task, Latch& latch) {
  AT("Task");
  co_await task;
  latch.count_down();
}

Detached eager_several() {
  Latch latch(3);
  child(latch);
  child(latch);
  child(latch);
  AT("Awaiter");
  co_await latch;
}

Detached eager_loop(int count) {
  Latch latch(count);
  for (int i = 0; i < count; i++) child(latch);
  AT("Awaiter");
  co_await latch;
}

constexpr int line_of_plain = __LINE__ + 5;
Detached eager_plain(int count) {
  Latch latch(count + 1);
  for (int i = 0; i < count; i++) child(latch);
  child(latch);
  co_await latch;
}

Task lazy_several() {
  Latch latch(2);
  child(latch);
  child(latch);
  AT("Awaiter");
  co_await latch;
}

Task lazy_loop(int count) {
  Latch latch(count);
  for (int i = 0; i < count; i++) child(latch);
  AT("Awaiter");
  co_await latch;
}

constexpr int line_of_lazy_plain = __LINE__ + 6;
Task lazy_plain(int count) {
  Latch latch(count + 2);
  for (int i = 0; i < count; i++) child(latch);
  child(latch);
  child(latch);
  co_await latch;
  std::printf("%d\n", count);
}

Task lazy_run(int count) {
  Latch latch(count);
  for (int i = 0; i < count; i++) run(task_child(i), latch);
  AT("Awaiter");
  co_await latch;
}

Detached eager_run(int count) {
  Latch latch(count + 1);
  run(task_child(0), latch);
  for (int i = 0; i < count; i++) run(task_child(i), latch);
  AT("Awaiter");
  co_await latch;
}

Detached all_eager() {
  int kind = 1;
  AT("WhenAll");
  co_await when_all(task_child(kind), task_child(2));
}

Task all_lazy() {
  auto all = when_all(task_child(1), task_child(2), task_child(3));
  AT("WhenAll");
  co_await all;
}

Task twice(int count) {
  Latch first(1);
  first.count_down();
  co_await first;
  Latch latch(count);
  child(latch);
  child(latch);
  AT("Awaiter");
  co_await latch;
  Latch other(count);
  child(other);
  child(other);
  co_await other;
}

[[noreturn]] void begin() {
  std::vector<Task> tasks;
  const auto start = [&](Task task) {
    tasks.push_back(std::move(task));
    tasks.back().handle.resume();
  };
  eager_several();
  eager_loop(3);
  eager_plain(3);
  at("eager_plain", line_of_plain, "Awaiter");
  start(lazy_several());
  start(lazy_loop(3));
  start(lazy_plain(3));
  at("lazy_plain", line_of_lazy_plain, "Awaiter");
  start(lazy_run(2));
  eager_run(2);
  all_eager();
  start(all_lazy());
  start(twice(2));
  ready();
}

}  // namespace SPACE

int main() { SPACE::begin(); }
