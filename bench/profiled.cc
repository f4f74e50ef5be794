// The program that bench/profiled samples: CALLS calls through a chain of coroutines, each of which works
// for 10 to 20 us below some functions. Prints the ns of its own CPU time, user and system.
#include <sys/resource.h>

#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

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
  explicit Task(std::coroutine_handle<promise_type> of) : handle(of) {}
  Task(Task&&) = delete;
  ~Task() { handle.destroy(); }
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    handle.promise().continuation = waiter;
    return handle;
  }
  void await_resume() {}
  std::coroutine_handle<promise_type> handle;
};

volatile uint64_t sink = 0;

[[gnu::noinline]] uint64_t work(int depth, uint64_t seed) {
  if (depth > 0) return work(depth - 1, seed) + 1;
  for (int i = 0; i < 10'000; i++) seed = seed * 6364136223846793005 + 1442695040888963407;
  return seed;
}

Task parse(uint64_t seed) {
  sink = sink + work(8, seed);
  co_return;
}
Task reply(uint64_t seed) {
  co_await parse(seed);
  sink = sink + work(4, seed);
}
Task session(uint64_t seed) {
  co_await reply(seed);
  co_await parse(seed + 1);
}
Task server(int calls) {
  for (int i = 0; i < calls; i++) co_await session(static_cast<uint64_t>(i));
}

}  // namespace

int main(int, char** words) {
  {
    Task all = server(std::atoi(words[1]));
    all.handle.resume();
  }
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  const auto ns = [](const timeval& time) { return time.tv_sec * 1'000'000'000LL + time.tv_usec * 1000LL; };
  std::printf("%lld\n", ns(used.ru_utime) + ns(used.ru_stime));
}
