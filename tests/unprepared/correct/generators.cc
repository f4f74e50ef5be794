// Generators that know their consumers: one of them reads, the consumer of the other one sleeps.
// Tasks that know their parent, the root and the leaf.
#include <poll.h>
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>
std::vector<std::coroutine_handle<>> io;
struct readable {
  int fd;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { io.push_back(h); }
  int await_resume() { return fd; }
};
struct sleeping {
  int ms;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { io.push_back(h); }
  void await_resume() {}
};
template <class T>
struct async_generator {
  struct promise_type {
    T* cur = nullptr;
    std::coroutine_handle<> consumer;
    async_generator get_return_object() { return async_generator{H::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct yield_op {
      std::coroutine_handle<> c;
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept { return c; }
      void await_resume() noexcept {}
    };
    yield_op final_suspend() noexcept {
      cur = nullptr;
      return {consumer};
    }
    yield_op yield_value(T& v) noexcept {
      cur = &v;
      return {consumer};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  using H = std::coroutine_handle<promise_type>;
  H h;
  explicit async_generator(H h) : h(h) {}
  async_generator(async_generator&& o) : h(std::exchange(o.h, {})) {}
  ~async_generator() {
    if (h) h.destroy();
  }
  struct next_op {
    H p;
    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> c) {
      p.promise().consumer = c;
      return p;
    }
    T* await_resume() { return p.promise().cur; }
  };
  next_op next() { return {h}; }
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
async_generator<int> lines(int fd, int n) {
  for (int i = 0;; i++) {
    if (i == n) co_await readable{fd};
    co_yield i;
  }
}
fire printer(int fd) {
  auto g = lines(fd, 3);
  while (int* p = co_await g.next()) printf("%d\n", *p);
}
fire slow_printer(int fd) {
  auto g = lines(fd, 1000000);
  while (int* p = co_await g.next())
    if (*p == 4) co_await sleeping{100};
}
struct task {
  struct promise_type {
    promise_type* parent = nullptr;
    promise_type* root = this;
    promise_type* leaf = this;
    std::coroutine_handle<> self;
    task get_return_object() {
      self = std::coroutine_handle<promise_type>::from_promise(*this);
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct F {
        bool await_ready() noexcept { return 0; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
          auto* p = h.promise().parent;
          if (!p) return std::noop_coroutine();
          p->root->leaf = p;
          return p->self;
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
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(H w) {
    h.promise().parent = &w.promise();
    h.promise().root = w.promise().root;
    w.promise().root->leaf = &h.promise();
    return h;
  }
  void await_resume() {}
};
struct sleep_in {
  task::promise_type* root = nullptr;
  task::H me;
  bool await_ready() { return false; }
  void await_suspend(task::H h) {
    me = h;
    root = h.promise().root;
    io.push_back(h);
  }
  void await_resume() {}
};
task read_row() {
  for (;;) co_await sleep_in{};
}
task query() { co_await read_row(); }
task handler() { co_await query(); }
int main() {
  printer(0);
  slow_printer(1);
  auto t = handler();
  t.h.resume();
  puts("READY");
  fflush(stdout);
  for (;;) {
    poll(nullptr, 0, 200);
    auto h = io.back();
    io.pop_back();
    h.resume();
  }
}
