// Coroutines that pass control to each other for ever, so that each always has the handle of the
// other one, and its promise too: one of them runs. Two pairs: one computes, the other one sleeps.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <thread>

struct Side {
  struct promise_type {
    std::coroutine_handle<> continuation;
    Side get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle = {};
  struct Switch {
    std::coroutine_handle<promise_type> to;
    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> from) {
      to.promise().continuation = from;
      return to;
    }
    void await_resume() {}
  };
  Switch operator co_await() const { return {handle}; }
};

void work(bool sleeps) {
  if (sleeps) usleep(2000);
  for (int i = 0; i < 3000; i++) asm volatile("");
}

Side side(const Side& other, bool sleeps) {
  for (;;) {
    work(sleeps);
    co_await other;
  }
}

void run(bool sleeps) {
  Side one, other;
  one = side(other, sleeps);
  other = side(one, sleeps);
  one.handle.resume();
}

int main() {
  std::thread sleeper(run, true);
  std::printf("READY\n");
  std::fflush(stdout);
  run(false);
}
