// COUNT threads, each with 50 coroutines that stay suspended, whose frames it prints, and 20 that it
// creates, resumes and ends in turns. A resumed one spends most of the time in a function.
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Task {
  struct promise_type {
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

Task stays() { co_await std::suspend_always{}; }

[[gnu::noinline]] unsigned compute(unsigned seed) {
  for (int i = 0; i < 20'000; i++) seed = seed * 1664525 + 1013904223;
  return seed;
}

std::atomic<unsigned> sink;

Task works(unsigned steps) {
  for (; steps > 0; steps--) {
    co_await std::suspend_always{};
    sink = compute(steps);
  }
}

std::mutex output;
std::atomic<int> ready;

void run() {
  std::vector<Task> kept;
  for (int i = 0; i < 50; i++) kept.push_back(stays());
  {
    const std::lock_guard lock(output);
    for (const Task& task : kept) std::printf("%p\n", task.handle.address());
  }
  std::vector<Task> tasks;
  for (unsigned i = 0; i < 20; i++) tasks.push_back(works(i % 7 + 1));
  for (ready++;;)
    for (unsigned i = 0; i < tasks.size(); i++) {
      tasks[i].handle.resume();
      if (!tasks[i].handle.done()) continue;
      tasks[i].handle.destroy();
      tasks[i] = works(i % 7 + 1);
    }
}

}  // namespace

int main(int, char** words) {
  const int count = std::atoi(words[1]);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++) threads.emplace_back(run);
  while (ready < count) std::this_thread::yield();
  std::puts("ready");
  std::fflush(stdout);
  for (std::thread& thread : threads) thread.join();
}
