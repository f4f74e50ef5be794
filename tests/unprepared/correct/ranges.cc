// Generators at a co_yield, whose numbers main() takes, and a coroutine that waits in the body of its
// loop.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

std::vector<std::coroutine_handle<>> io;

struct readable {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { io.push_back(h); }
  void await_resume() {}
};

struct generator {
  struct promise_type {
    int value = 0;
    generator get_return_object() { return generator{H::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int of) noexcept {
      value = of;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  using H = std::coroutine_handle<promise_type>;
  struct iterator {
    H handle;
    bool operator!=(int) const { return !handle.done(); }
    void operator++() { handle.resume(); }
    int operator*() const { return handle.promise().value; }
  };
  H handle;
  explicit generator(H of) : handle(of) {}
  generator(generator&& other) noexcept : handle(std::exchange(other.handle, {})) {}
  ~generator() {
    if (handle) handle.destroy();
  }
  iterator begin() {
    handle.resume();
    return {handle};
  }
  int end() { return 0; }
};

struct detached {
  struct promise_type {
    detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

generator numbers(int from) {
  int i = from;
  while (true) {
    co_yield i;
    if (++i > 1000) i = 0;
  }
}

detached consumer() {
  for (const int one : numbers(3)) {
    std::printf("%d\n", one);
    co_await readable{};
  }
}

generator of_main = numbers(7);

int main() {
  consumer();
  std::printf("%d\n", *of_main.begin());
  std::puts("READY");
  std::fflush(stdout);
  while (true) {
    pause();
    for (const auto one : std::exchange(io, {})) one.resume();
  }
}
