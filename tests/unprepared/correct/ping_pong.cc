// A connection that has the handles of its reader and its writer; two coroutines that resume each
// other.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <utility>
struct co {
  struct promise_type {
    co get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> h;
};
struct connection {
  std::coroutine_handle<> reader_wait, writer_wait;
  std::coroutine_handle<co::promise_type> peer_of_reader, peer_of_writer;
  std::deque<int> out;
  co reader_co{}, writer_co{};
  struct flush_op {
    connection& c;
    std::coroutine_handle<> h;
    bool await_ready() { return c.out.size() < 1; }
    void await_suspend(std::coroutine_handle<> x) {
      h = x;
      c.reader_wait = x;
    }
    void await_resume() {}
  };
  struct item_op {
    connection& c;
    std::coroutine_handle<> h;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> x) {
      h = x;
      c.writer_wait = x;
    }
    void await_resume() {}
  };
  co reader() {
    for (;;) {
      co_await flush_op{*this};
      co_await item_op{*this};
    }
  }
  co writer() {
    for (;;) {
      co_await item_op{*this};
    }
  }
};
std::coroutine_handle<> io;
struct recv_io {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { io = h; }
  void await_resume() {}
};
struct partner {
  std::coroutine_handle<co::promise_type> h;
};
struct yield_to {
  std::coroutine_handle<> other;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<>) { return other; }
  void await_resume() {}
};
struct start {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) {}
  void await_resume() {}
};
partner A, B;
co producer() {
  co_await start{};
  for (int i = 0;; i++) {
    if (i % 3 == 2) co_await recv_io{};
    co_await yield_to{B.h};
  }
}
co consumer() {
  co_await start{};
  for (;;) {
    co_await yield_to{A.h};
  }
}
int main() {
  A.h = producer().h;
  B.h = consumer().h;
  B.h.resume();
  puts("READY");
  fflush(stdout);
  for (;;) {
    usleep(300000);
    auto h = io;
    h.resume();
  }
}
