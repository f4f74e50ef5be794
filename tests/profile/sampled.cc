// A program whose samples have a known task: sampled THREADS BURNS
//
// Coroutine number K spends its time in burn<K>, and goes on in any thread after each of BURNS
// burns: a sample in burn<K> belongs to the task with label K. One in burn<0>, which main calls
// outside any task, belongs to none.
#include <skein/task.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace app {

using Handle = std::coroutine_handle<>;

constexpr int tasks = 24;
std::atomic<uint64_t> sink = 0;

// A loop of its own for each number. About 1 ns a turn.
template <int number>
[[gnu::noinline]] void burn(uint64_t turns) {
  uint64_t x = turns + number;
  for (uint64_t i = 0; i < turns; i++) {
    x = x * 6364136223846793005u + 2u * number + 1u;
    asm volatile("" : "+r"(x));
  }
  sink.fetch_add(x, std::memory_order_relaxed);
}

std::mutex mutex;
std::condition_variable ready;
std::deque<Handle> queue;
int left = tasks;

void post(Handle handle) {
  const std::lock_guard lock(mutex);
  queue.push_back(handle);
  ready.notify_one();
}

void work() {
  for (;;) {
    std::unique_lock lock(mutex);
    ready.wait(lock, [] { return !queue.empty() || left == 0; });
    if (queue.empty()) return;
    const Handle next = queue.front();
    queue.pop_front();
    lock.unlock();
    next.resume();
  }
}

struct Hop {  // goes on in any thread
  bool await_ready() const noexcept { return false; }
  void await_suspend(Handle handle) const { post(handle); }
  void await_resume() const noexcept {}
};

struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

template <int number>
Detached run(int burns) {
  skein::label(std::to_string(number));
  uint64_t random = 88172645463325252u + number;
  for (int i = 0; i < burns; i++) {
    co_await Hop{};
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    burn<number>(1000 + random % 400'000);
  }
  const std::lock_guard lock(mutex);
  left--;
  ready.notify_all();
}

template <int... numbers>
void run_all(int burns, std::integer_sequence<int, numbers...>) {
  (run<numbers + 1>(burns), ...);
}

}  // namespace app

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int threads = std::atoi(argv[1]);
  app::run_all(std::atoi(argv[2]), std::make_integer_sequence<int, app::tasks>());
  app::burn<0>(20'000'000);
  std::vector<std::thread> others;
  for (int i = 0; i < threads; i++) others.emplace_back(app::work);
  for (std::thread& thread : others) thread.join();
}
