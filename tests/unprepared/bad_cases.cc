// COUNT chains of two coroutines, and SIZE MiB of memory with other data. Prints "ready" and sleeps.
#include <unistd.h>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace {

struct Task {
  struct promise_type {
    std::coroutine_handle<> waiter;
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  bool await_ready() const { return handle.done(); }
  void await_suspend(std::coroutine_handle<> waiter) { handle.promise().waiter = waiter; }
  void await_resume() {}
  std::coroutine_handle<promise_type> handle;
};

Task leaf() { co_await std::suspend_always{}; }
Task root() { co_await leaf(); }

}  // namespace

int main(int, char** words) {
  std::vector<Task> tasks;
  for (int i = std::atoi(words[1]); i > 0; i--) tasks.push_back(root());
  std::vector<uint64_t> other(static_cast<size_t>(std::atoi(words[2])) << 17);
  for (size_t i = 0; i < other.size(); i++) other[i] = i * 0x9e3779b97f4a7c15;
  std::puts("ready");
  std::fflush(stdout);
  for (;;) pause();
}
