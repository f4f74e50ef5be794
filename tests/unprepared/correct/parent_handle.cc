// A supervisor that joins its worker. The awaiter of the worker has the handle of the supervisor.
#include <poll.h>
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>
struct task {
  struct promise_type {
    std::coroutine_handle<> joiner;
    std::string name;
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct F {
        bool await_ready() noexcept { return 0; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
          auto j = h.promise().joiner;
          return j ? j : std::noop_coroutine();
        }
        void await_resume() noexcept {}
      };
      return F{};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  using H = std::coroutine_handle<promise_type>;
  H h;
  bool await_ready() { return h.done(); }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> w) {
    h.promise().joiner = w;
    return h;
  }
  void await_resume() {}
};
struct self {
  task::H h;
  bool await_ready() { return false; }
  bool await_suspend(task::H x) {
    h = x;
    return false;
  }
  task::H await_resume() { return h; }
};
std::vector<std::coroutine_handle<>> timers;
struct tick {
  task::H supervisor;
  std::coroutine_handle<> me;
  explicit tick(task::H s) : supervisor(s) {}
  bool await_ready() { return supervisor.done(); }
  void await_suspend(std::coroutine_handle<> h) {
    me = h;
    timers.push_back(h);
  }
  void await_resume() { supervisor.promise().name = "ticked"; }
};
task worker(task::H sup) {
  for (;;) {
    co_await tick(sup);
  }
}
task supervisor() {
  auto me = co_await self{};
  auto w = worker(me);
  co_await w;
}
int main() {
  auto s = supervisor();
  s.h.resume();
  puts("READY");
  fflush(stdout);
  for (;;) {
    poll(nullptr, 0, 200);
    auto v = std::move(timers);
    timers.clear();
    for (auto h : v) h.resume();
  }
}
