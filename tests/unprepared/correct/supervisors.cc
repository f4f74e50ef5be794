// Coroutines that know others to cancel them, or what they are cancelled by. No one waits for another by that.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <exception>
#include <map>
#include <utility>
#include <vector>
namespace app {

using handle = std::coroutine_handle<>;

struct task;
// What makes the task is inherited, and the name is not that of a class inside of the task.
struct base_of_promise {
  handle continuation = {};
  task get_return_object();
  std::suspend_always initial_suspend() noexcept { return {}; }
  auto final_suspend() noexcept {
    struct final {
      handle next;
      bool await_ready() noexcept { return false; }
      handle await_suspend(handle) noexcept { return next; }
      void await_resume() noexcept {}
    };
    return final{continuation ? continuation : std::noop_coroutine()};
  }
  void return_void() {}
  void unhandled_exception() { std::terminate(); }
};
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
struct promise_of_task : base_of_promise {
  promise_of_task() = default;
  explicit promise_of_task(event& of) : stop(&of) {}
  template <typename First, typename... More>
  promise_of_task(First&, More&...) {}
  event* stop = nullptr;
};
struct task {
  using promise_type = promise_of_task;
  std::coroutine_handle<base_of_promise> coroutine;
  bool await_ready() { return false; }
  handle await_suspend(handle of) {
    coroutine.promise().continuation = of;
    return coroutine;
  }
  void await_resume() {}
};
task base_of_promise::get_return_object() {
  return {std::coroutine_handle<base_of_promise>::from_promise(*this)};
}

// Has the handles of those that it cancels.
struct boss {
  struct promise_type {
    std::vector<handle> children = {};
    boss get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> coroutine;
};
using boss_promise = boss::promise_type;

struct mutex {
  struct lock_awaiter {
    mutex& of;
    handle waiter = {};
    lock_awaiter* next = nullptr;
    bool await_ready() { return !std::exchange(of.is_locked, true); }
    void await_suspend(handle h) {
      waiter = h;
      next = std::exchange(of.first, this);
    }
    void await_resume() {}
  };
  lock_awaiter lock() { return {*this}; }
  void unlock() {
    is_locked = first != nullptr;
    if (is_locked) std::exchange(first, first->next)->waiter.resume();
  }
  bool is_locked = false;
  lock_awaiter* first = nullptr;
};
struct lock_guard {
  mutex* of;
  ~lock_guard() { of->unlock(); }
};
// What expires, by the time.
struct timers {
  std::multimap<long, handle> all = {};
  struct sleep {
    timers& of;
    long time;
    bool await_ready() { return false; }
    void await_suspend(handle h) { of.all.emplace(time, h); }
    void await_resume() {}
  };
};
struct self {
  std::coroutine_handle<boss_promise> found = {};
  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<boss_promise> of) {
    found = of;
    return false;
  }
  boss_promise& await_resume() { return found.promise(); }
};

timers all_timers;
mutex lock_of_all;
event stop;

task sleeping_worker(boss_promise& of, mutex& lock, timers& timer) {
  co_await lock.lock();
  lock_guard guard{&lock};
  co_await timers::sleep{timer, 1};
  of.children.clear();
}
task waiting_worker(boss_promise& of, mutex& lock) {
  co_await lock.lock();
  lock_guard guard{&lock};
  of.children.clear();
}
boss supervisor(mutex& lock) {
  boss_promise& mine = co_await self();
  const task second = sleeping_worker(mine, lock, all_timers);
  const task first = waiting_worker(mine, lock);
  mine.children.push_back(second.coroutine);
  mine.children.push_back(first.coroutine);
  second.coroutine.resume();
  co_await task(first);
}

task stopped(event* of) { co_await *of; }
task stoppable(event& of) { co_await stopped(&of); }

}  // namespace app

int main() {
  app::supervisor(app::lock_of_all).coroutine.resume();
  app::stoppable(app::stop).coroutine.resume();
  puts("READY");
  fflush(stdout);
  for (;;) {
    pause();
    for (const auto& [time, one] : std::exchange(app::all_timers.all, {})) one.resume();
  }
}
