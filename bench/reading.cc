// The program that bench/reading reads: a thread that creates, resumes and ends coroutines, beside
// 100,000 that stay suspended and SIZE MiB of other memory. For each line of input it writes its
// steps until now, and its CPU time in ns. With a second argument it is a neighbour instead: it
// copies its SIZE MiB, a piece at a time, until it is killed.
#include <time.h>

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
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

Task work(unsigned steps) {
  for (; steps > 0; steps--) co_await std::suspend_always{};
}

struct Count {
  uint64_t steps = 0;
  uint64_t cpu_ns = 0;
};
std::atomic<uint64_t> steps = 0;
std::atomic<uint64_t> cpu_ns = 0;

uint64_t cpu_now() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// Coroutines of 1 to 16 steps, in turns.
void run() {
  std::vector<Task> tasks;
  for (unsigned i = 0; i < 10'000; i++) tasks.push_back(work(i % 16 + 1));
  for (;;) {
    for (size_t i = 0; i < tasks.size(); i++) {
      Task& task = tasks[i];
      task.handle.resume();
      if (!task.handle.done()) continue;
      task.handle.destroy();
      task = work(i % 16 + 1);
    }
    steps += tasks.size();
    cpu_ns = cpu_now();
  }
}

}  // namespace

int main(int count, char** words) {
  if (count > 2) {
    const std::vector<char> own(static_cast<size_t>(std::atoi(words[1])) << 20, 1);
    std::vector<char> piece(1 << 20);
    for (size_t at = 0;; at = (at + piece.size()) % own.size())
      std::memcpy(piece.data(), own.data() + at, piece.size());
  }
  std::vector<Task> suspended;
  for (int i = 0; i < 100'000; i++) suspended.push_back(work(1));
  std::vector<uint64_t> other(static_cast<size_t>(std::atoi(words[1])) << 17, 1);
  std::thread(run).detach();
  char line[16];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    std::printf("%lu %lu\n", steps.load(), cpu_ns.load());
    std::fflush(stdout);
  }
  std::_Exit(0);
}
