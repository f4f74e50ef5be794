// The program that bench/suspended reads: COUNT coroutines that stay suspended, in chains of three,
// beside MIB of other blocks on the heap. It ends with its standard input.
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

namespace {

struct Task {
  struct promise_type {
    std::coroutine_handle<> continuation = {};
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> own) noexcept {
        return own.promise().continuation ? own.promise().continuation : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    handle.promise().continuation = waiter;
    return handle;
  }
  void await_resume() {}
  std::coroutine_handle<promise_type> handle;
};

Task inner() { co_await std::suspend_always{}; }
Task middle() { co_await inner(); }
Task outer() { co_await middle(); }

}  // namespace

int main(int, char** words) {
  const int count = std::atoi(words[1]) / 3;
  const int blocks = std::atoi(words[2]) * 1024;
  std::vector<Task> tasks;
  std::vector<char*> other;
  for (int i = 0; i < count; i++) {
    tasks.push_back(outer());
    tasks.back().handle.resume();
  }
  for (int i = 0; i < blocks; i++) {
    other.push_back(static_cast<char*>(std::malloc(1000)));
    std::memset(other.back(), 1, 1000);
  }
  std::puts("ready");
  std::fflush(stdout);
  std::getchar();
}
