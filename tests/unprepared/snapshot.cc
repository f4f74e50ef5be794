// Four threads: one is in a coroutine that reads, one in a coroutine that computes, one sleeps, and
// main() waits. Chains of coroutines with variables are suspended, 30 or as many as the argument
// says. Prints "ready".
#include <unistd.h>

#include <atomic>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace app {

struct Task {
  struct promise_type {
    std::coroutine_handle<> waiter;
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  bool await_ready() const { return handle.done(); }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    handle.promise().waiter = waiter;
    return handle;
  }
  void await_resume() {}
  std::coroutine_handle<promise_type> handle;
};

struct Event {
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<>) {}
  void await_resume() {}
};

std::atomic<int> started = 0;

Task fetch(int number, std::string name) {
  co_await Event{};
  std::printf("%d %s\n", number, name.c_str());
}

Task session(int number) {
  std::vector<int> sizes{1, number};
  co_await fetch(number, "item " + std::to_string(number));
  std::printf("%zu\n", sizes.size());
}

Task reads() {
  char byte = 0;
  started++;
  while (read(0, &byte, 1) > 0) {
  }
  co_return;
}

Task computes() {
  started++;
  for (volatile unsigned long steps = 0;;) steps = steps + 1;
  co_return;
}

}  // namespace app

int main(int argc, char** argv) {
  std::vector<app::Task> tasks;
  const int count = argc > 1 ? std::atoi(argv[1]) : 30;
  for (int i = 0; i < count; i++) tasks.push_back(app::session(i));
  for (const app::Task& task : tasks) task.handle.resume();
  tasks.push_back(app::session(99));  // not started
  const app::Task reader = app::reads();
  const app::Task computer = app::computes();
  std::thread([&] { reader.handle.resume(); }).detach();
  std::thread([&] { computer.handle.resume(); }).detach();
  std::thread([] {
    for (;;) pause();
  }).detach();
  while (app::started < 2) std::this_thread::yield();
  std::puts("ready");
  std::fflush(stdout);
  for (;;) pause();
}
