// Coroutines for views_test.py: two that wait for each other, one that has ended, one that was not
// started, and similar ones, as many as the first argument says, that wait for an event.
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <unistd.h>

struct Task {
  struct promise_type {
    std::coroutine_handle<> waiter;
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    auto final_suspend() noexcept {
      struct Resumption {
        bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<promise_type> of) noexcept {
          if (of.promise().waiter) of.promise().waiter.resume();
        }
        void await_resume() noexcept {}
      };
      return Resumption{};
    }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;
};

struct Join {
  std::coroutine_handle<Task::promise_type> of;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { of.promise().waiter = waiter; }
  void await_resume() {}
};

struct Event {
  std::vector<std::coroutine_handle<>> waiters;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { waiters.push_back(waiter); }
  void await_resume() {}
};

static Event never;

static Task tasks[4];

Task first() { co_await Join{tasks[1].handle}; }   // @first
Task second() { co_await Join{tasks[0].handle}; }  // @second
Task idle() { co_return; }
Task done() { co_return; }
Task leaf() { co_await never; }                // @leaf
Task root(Task of) { co_await Join{of.handle}; }  // @root

int main(int argc, char** argv) {
  tasks[0] = first();
  tasks[1] = second();
  tasks[2] = idle();
  tasks[3] = done();
  for (const int i : {0, 1, 3}) tasks[i].handle.resume();
  std::vector<Task> alike;
  for (int i = argc > 1 ? std::atoi(argv[1]) : 0; i > 0; i--) {
    Task of = leaf();
    of.handle.resume();
    alike.push_back(root(of));
    alike.back().handle.resume();
  }
  std::puts("ready");
  std::fflush(stdout);
  pause();
}
