// Four threads, each of which creates chains of tasks, resumes them and destroys them at once, so
// that frames are used again while they are read.
#include <unistd.h>

#include <atomic>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>
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
std::mutex m;
std::deque<std::coroutine_handle<>> q;
struct hop {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    std::lock_guard g(m);
    q.push_back(h);
  }
  void await_resume() {}
};
std::atomic<long> n;
task<int> depth(int d) {
  if (d % 3 == 1) co_await hop{};
  if (d == 0) {
    co_await hop{};
    co_return 1;
  }
  auto a = d & 1 ? depth(d - 1) : depth(d - 1);
  int r = co_await a;
  co_return r + 1;
}
task<int> even(int d);
task<int> odd(int d) {
  co_await hop{};
  if (d <= 0) co_return 1;
  int x = co_await even(d - 1);
  co_return x;
}
task<int> even(int d) {
  if (d <= 0) co_return 0;
  int x = co_await odd(d - 1);
  co_return x;
}
fire session() {
  for (int i = 1;; i++) {
    n += co_await depth(i % 6);
    n += co_await even(i % 5);
  }
}
int main() {
  for (int i = 0; i < 200; i++) session();
  std::vector<std::thread> t;
  for (int i = 0; i < 4; i++)
    t.emplace_back([] {
      for (;;) {
        std::coroutine_handle<> h;
        {
          std::lock_guard g(m);
          if (!q.empty()) {
            h = q.front();
            q.pop_front();
          }
        }
        if (h)
          h.resume();
        else
          usleep(100);
      }
    });
  puts("READY");
  fflush(stdout);
  pause();
}
