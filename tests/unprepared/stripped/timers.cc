// An event loop with timers, channels and detached coroutines, most with a single co_await.
#include <chrono>
#include <deque>
#include <functional>
#include <queue>
#include <string>

#include "alive.h"

using namespace std::chrono;
struct Loop {
  struct Due {
    steady_clock::time_point at;
    std::coroutine_handle<> h;
    bool operator<(const Due& o) const { return at > o.at; }
  };
  std::priority_queue<Due> timers;
  std::deque<std::function<void()>> posted;
  void run() {
    while (!posted.empty()) {
      auto f = std::move(posted.front());
      posted.pop_front();
      f();
    }
    while (!timers.empty() && timers.top().at <= steady_clock::now()) {
      auto h = timers.top().h;
      timers.pop();
      h.resume();
    }
  }
} loop;

struct Sleep {
  steady_clock::duration d;
  bool await_ready() const { return d <= d.zero(); }
  void await_suspend(std::coroutine_handle<> h) { loop.timers.push({steady_clock::now() + d, h}); }
  void await_resume() {}
};

struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
};

template <class T>
struct Channel {
  std::deque<T> items;
  std::deque<std::coroutine_handle<>> readers;
  void send(T v) {
    items.push_back(std::move(v));
    if (!readers.empty()) {
      auto h = readers.front();
      readers.pop_front();
      loop.posted.push_back([h] { h.resume(); });
    }
  }
  auto read() {
    struct A {
      Channel& c;
      bool await_ready() { return !c.items.empty(); }
      void await_suspend(std::coroutine_handle<> h) { c.readers.push_back(h); }
      T await_resume() {
        T v = std::move(c.items.front());
        c.items.pop_front();
        return v;
      }
    };
    return A{*this};
  }
};

std::vector<std::coroutine_handle<>> called_back;
struct CallbackAwaiter {
  std::function<void(std::function<void(int)>)> start;
  int result = 0;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    called_back.push_back(h);
    start([this, h](int r) {
      result = r;
      h.resume();
    });
  }
  int await_resume() { return result; }
};

std::vector<std::function<void(int)>> callbacks;
void async_op(std::function<void(int)> done) { callbacks.push_back(std::move(done)); }
struct Signal {
  std::vector<std::coroutine_handle<>> w;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { w.push_back(h); }
  void await_resume() {}
};
Signal never;
Detached ticker(int n) {
  for (;;) {
    co_await Sleep{hours(n + 1)};
    std::puts("tick");
  }
}

Detached once() {
  co_await Sleep{hours(3)};
  std::puts("once");
}

Detached consumer(Channel<std::string>& c) {
  for (;;) {
    std::string s = co_await c.read();
    std::printf("%zu\n", s.size());
  }
}

Detached one_item(Channel<int>& c) {
  int v = co_await c.read();
  std::printf("%d\n", v);
}

Detached by_callback() {
  int r = co_await CallbackAwaiter{[](auto done) { async_op(done); }};
  std::printf("%d\n", r);
}

Detached waits() { co_await never; }
Detached waits_in_loop(int n) {
  for (int i = 0; i < n; i++) co_await never;
}

Detached two(int n) {
  co_await never;
  std::printf("%d\n", n);
  co_await never;
}

template <class F>
Detached spawn(F f, int n) {
  co_await never;
  f(n);
}

int main(int argc, char**) {
  Channel<std::string> strings;
  Channel<int> ints;
  for (int i = 0; i < 4; i++) {
    ticker(i);
    once();
    consumer(strings);
    one_item(ints);
    by_callback();
    waits();
    waits_in_loop(3);
    two(i);
    spawn([](int n) { std::printf("%d\n", n); }, i);
    [](int a) -> Detached {
      co_await never;
      std::printf("l%d\n", a);
    }(i);
    spawn([&strings](int n) { strings.send(std::to_string(n)); }, argc);
  }
  for (int i = 0; i < 3; i++) {
    strings.send("abc");
    loop.run();
  }
  loop.run();
  while (!loop.timers.empty()) {
    auto h = loop.timers.top().h;
    loop.timers.pop();
    alive(h, "timer");
    loop.posted.push_back([h] { h.resume(); });
  }
  for (auto h : strings.readers) alive(h, "consumer");
  for (auto h : ints.readers) alive(h, "one_item");
  for (auto h : never.w) alive(h, "never");
  for (auto h : called_back) alive(h, "by_callback");
  finish();
}
