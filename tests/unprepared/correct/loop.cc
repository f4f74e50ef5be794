// A correct program with its own event loop that is idle: a long timer, one whose time has come
// just before, waits that only note when they began, and workers without work.
#include <unistd.h>

#include <chrono>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

using Clock = std::chrono::steady_clock;

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

struct Loop {
  std::vector<std::pair<Clock::time_point, std::coroutine_handle<>>> timers;
};

struct Sleep {
  Loop& loop;
  Clock::time_point until;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) { loop.timers.emplace_back(until, handle); }
  void await_resume() {}
};

// With the time at which the wait began.
struct Work {
  std::vector<std::coroutine_handle<>>& idle;
  Clock::time_point since = Clock::now();
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) { idle.push_back(handle); }
  void await_resume() {}
};

Task sleeper(Loop& loop) {
  co_await Sleep{loop, Clock::now() + std::chrono::hours(1)};
  std::puts("slept");
}

Task expired(Loop& loop) {
  co_await Sleep{loop, Clock::now() - std::chrono::hours(1)};
  std::puts("late");
}

// Its first pause is over.
Task second_pause(Loop& loop) {
  co_await Sleep{loop, Clock::now()};
  co_await Sleep{loop, Clock::now() + std::chrono::hours(2)};
}

// The first pause was cut short, and the second one is over, but not noticed yet.
Task short_pause(Loop& loop) {
  co_await Sleep{loop, Clock::now() + std::chrono::hours(3)};
  co_await Sleep{loop, Clock::now() - std::chrono::hours(1)};
}

Task worker(std::vector<std::coroutine_handle<>>& idle) {
  for (;;) co_await Work{idle};
}

Task other_worker(std::vector<std::coroutine_handle<>>& idle) {
  for (;;) co_await Work{idle};
}

int main() {
  Loop loop;
  std::vector<std::coroutine_handle<>> idle;
  sleeper(loop);
  expired(loop);
  for (const auto pause : {second_pause, short_pause}) {
    pause(loop);
    const auto handle = loop.timers.back().second;
    loop.timers.pop_back();
    handle.resume();
  }
  worker(idle);
  other_worker(idle);
  std::puts("READY");
  std::fflush(stdout);
  for (;;) pause();
}
