// Sessions that look up files and directories recursively and end up waiting for input. Their
// frames have what earlier frames have left there.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <utility>
template <class T>
struct task {
  struct promise_type;
  using H = std::coroutine_handle<promise_type>;
  struct promise_type {
    T v{};
    std::coroutine_handle<> k;
    task get_return_object() { return task{H::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct F {
        bool await_ready() noexcept { return 0; }
        std::coroutine_handle<> await_suspend(H h) noexcept { return h.promise().k; }
        void await_resume() noexcept {}
      };
      return F{};
    }
    void return_value(T x) { v = x; }
    void unhandled_exception() { std::terminate(); }
  };
  H h;
  explicit task(H h) : h(h) {}
  task(task&& o) : h(std::exchange(o.h, {})) {}
  ~task() {
    if (h) h.destroy();
  }
  bool await_ready() { return false; }
  auto await_suspend(std::coroutine_handle<> k) {
    h.promise().k = k;
    return h;
  }
  T await_resume() { return h.promise().v; }
};
struct fire {
  struct promise_type {
    fire get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
std::deque<std::coroutine_handle<>> q;
struct Io {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { q.push_back(h); }
  void await_resume() {}
};
task<int> file(int d);
task<int> directory(int d) {
  co_await Io{};
  if (d <= 0) co_return 1;
  int x = co_await file(d - 1);
  co_return x;
}
task<int> file(int d) {
  if (d <= 0) co_return 0;
  int x = co_await directory(d - 1);
  co_return x;
}
task<int> index(int d) {
  if (d % 3 == 1) co_await Io{};
  if (d == 0) co_return 1;
  int r = co_await index(d - 1);
  co_return r + 1;
}
fire session(int seed) {
  for (int i = seed;; i++) {
    co_await index(i % 6);
    co_await file(i % 6 + 1);
  }
}
int main() {
  for (int i = 0; i < 50; i++) session(i);
  for (int i = 0; i < 20100; i++) {
    auto h = q.front();
    q.pop_front();
    h.resume();
  }
  puts("READY");
  fflush(stdout);
  pause();
}
