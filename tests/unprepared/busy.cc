// One coroutine computes without an end, another blocks its thread. The number of steps of the first
// is written for each line of input.
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

namespace {

struct Task {
  struct promise_type {
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

std::atomic<unsigned long> steps = 0;

Task computes() {
  for (;;) steps++;
  co_return;
}

Task reads() {
  char line[16];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    std::printf("%lu\n", steps.load());
    std::fflush(stdout);
  }
  co_return;
}

}  // namespace

int main() {
  const Task busy = computes();
  std::thread([&] { busy.handle.resume(); }).detach();
  while (steps == 0) std::this_thread::yield();
  std::puts("ready");
  std::fflush(stdout);
  const Task reader = reads();
  reader.handle.resume();
}
