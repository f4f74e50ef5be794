// A child knows its parent by a parameter, by a pointer to the promise in its awaiter, by a context
// in its awaiter, by a reference.
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
    bool cancel = false;
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
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { timers.push_back(h); }
  void await_resume() {}
};
struct tickp {
  task::promise_type* owner;
  explicit tickp(task::H h) : owner(&h.promise()) {}
  bool await_ready() { return owner->cancel; }
  void await_suspend(std::coroutine_handle<> h) { timers.push_back(h); }
  void await_resume() { owner->cancel = false; }
};
struct ctx {
  int id;
  std::string name;
  task::H owner;
};
struct tickc {
  std::coroutine_handle<> me;
  ctx c;
  explicit tickc(ctx c) : c(c) {}
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    me = h;
    timers.push_back(h);
  }
  void await_resume() { c.owner.promise().cancel = false; }
};
task w1(task::H sup) {
  for (;;) {
    co_await tick{};
    if (sup.promise().cancel) break;
  }
}
task w2(task::H sup) {
  for (;;) co_await tickp(sup);
}
task w3(ctx c) {
  for (;;) co_await tickc(c);
}
task w4(task::H& sup) {
  for (;;) {
    task::H keep = sup;
    co_await tick();
    keep.promise().cancel = false;
  }
}
task s1() {
  auto me = co_await self{};
  auto w = w1(me);
  co_await w;
}
task s2() {
  auto me = co_await self{};
  auto w = w2(me);
  co_await w;
}
task s3() {
  auto me = co_await self{};
  auto w = w3({1, "abc", me});
  co_await w;
}
task s4() {
  auto me = co_await self{};
  auto w = w4(me);
  co_await w;
}
int main() {
  auto a = s1(), b = s2(), c = s3(), d = s4();
  a.h.resume();
  b.h.resume();
  c.h.resume();
  d.h.resume();
  puts("READY");
  fflush(stdout);
  for (;;) {
    poll(nullptr, 0, 200);
    auto v = std::move(timers);
    timers.clear();
    for (auto h : v) h.resume();
  }
}
