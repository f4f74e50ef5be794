// Coroutines whose frames are hard on readers of heaps: freed by other threads, by threads that have
// ended, in random order, of many sizes up to 40 MB. Prints the frames that are left as lifetimes.cc
// does. With an argument, threads go on to create and destroy coroutines `churn`, at most 64 each.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct State {
  const char* function = "";
  const char* state = "";
};
std::map<void*, State> truth;
std::mutex mutex;
thread_local bool is_recorded = true;

struct [[nodiscard]] Task {
  struct promise_type {
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    ~promise_type() {
      if (!is_recorded) return;
      const std::lock_guard lock(mutex);
      truth.erase(std::coroutine_handle<promise_type>::from_promise(*this).address());
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<> h) noexcept {
        if (!is_recorded) return;
        const std::lock_guard lock(mutex);
        truth[h.address()] = {"?", "has ended"};
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  [[gnu::noinline]] ~Task() {
    if (handle) handle.destroy();
  }
};

struct Wait {
  const char* function;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    if (!is_recorded) return;
    const std::lock_guard lock(mutex);
    truth[h.address()] = {function, "waits"};
  }
  void await_resume() {}
};

template <size_t Size>
Task keeps(bool ends) {
  volatile char bytes[Size];
  bytes[0] = 1;
  bytes[Size - 1] = 1;
  if (ends) co_return;
  co_await Wait{"keeps"};
  bytes[0] = bytes[Size - 1];
}

Task churn(bool ends) {
  char text[100];
  std::memset(text, 'x', sizeof text);
  if (ends) co_return;
  co_await Wait{"churn"};
  std::puts(text);
}

using Tasks = std::vector<Task>;
template <size_t Size>
void start(Tasks& tasks, int count) {
  for (int i = 0; i < count; i++) {
    tasks.push_back(keeps<Size>(i % 7 == 3));
    tasks.back().handle.resume();
  }
}
void start_all(Tasks& tasks, int count) {
  start<8>(tasks, count);
  start<40>(tasks, count);
  start<100>(tasks, count);
  start<300>(tasks, count);
  start<1000>(tasks, count);
  start<3000>(tasks, count / 4);
  start<20000>(tasks, count / 16);
  start<100000>(tasks, count / 64);
}
void keep_some(Tasks& tasks, size_t one_of) {
  static std::minstd_rand random(4711);
  std::shuffle(tasks.begin(), tasks.end(), random);
  while (tasks.size() % one_of != 0) tasks.pop_back();
  const size_t left = tasks.size() / one_of;
  while (tasks.size() > left) tasks.pop_back();
}

}  // namespace

int main(int argc, char**) {
  // Not changed from now on: no memory moves.
  static Tasks mixed, given, of_thread, big;
  mixed.reserve(100'000);
  given.reserve(10'000);
  of_thread.reserve(10'000);
  start_all(mixed, 2000);
  keep_some(mixed, 3);
  start_all(mixed, 300);
  // Started by a thread that has ended, and freed by this one.
  std::thread([&] {
    start_all(given, 500);
    Tasks own;
    start_all(own, 500);
    keep_some(own, 5);
    for (Task& one : own) of_thread.push_back(std::move(one));
  }).join();
  keep_some(given, 2);
  // Started by this one, and freed by a thread that has ended.
  Tasks freed;
  start_all(freed, 500);
  std::thread([&] { keep_some(freed, 4); }).join();
  // Freed by a thread that waits.
  Tasks also_freed;
  start_all(also_freed, 500);
  static std::atomic<bool> waits = false;
  std::thread([&] {
    keep_some(also_freed, 4);
    waits = true;
    waits.notify_one();
    pause();
  }).detach();
  for (int i = 0; i < 4; i++) {
    start<300'000>(big, 8);
    start<3'000'000>(big, 4);
    start<40'000'000>(big, 2);
    while (big.size() > static_cast<size_t>(3 * (i + 1))) big.erase(big.begin() + 1);
  }
  waits.wait(false);
  is_recorded = false;
  if (argc > 1) {
    for (int i = 0; i < 2; i++)
      std::thread([i] {
        is_recorded = false;
        std::minstd_rand random(static_cast<unsigned>(i));
        std::vector<Task> tasks;
        while (true) {
          while (tasks.size() < 64) {
            tasks.push_back(churn(random() % 3 == 0));
            tasks.back().handle.resume();
          }
          std::shuffle(tasks.begin(), tasks.end(), random);
          tasks.erase(tasks.begin() + static_cast<long>(random() % 64), tasks.end());
          const std::vector<char> other(random() % 500);
        }
      }).detach();
  }
  for (const auto& [frame, one] : truth)
    std::printf("%lu %s (nil) %s\n", reinterpret_cast<unsigned long>(frame), one.function,
                one.state);
  std::puts("end");
  std::fflush(stdout);
  pause();
}
