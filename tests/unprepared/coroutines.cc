// Coroutines that wait for good, of a program without skein. It prints the line of each wait, by
// function: "leaf 12"; a number of the same lines is the number of coroutines there. The tests
// compare this with what skein finds in its memory.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <vector>

namespace {

struct Task {
  struct promise_type {
    std::coroutine_handle<> continuation;
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        const auto next = h.promise().continuation;
        return next ? next : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(int) {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(Task&& other) noexcept : handle(other.handle) { other.handle = nullptr; }
  [[gnu::noinline]] ~Task() {  // inlined, clang puts frames into those of callers
    if (handle) handle.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) {
    handle.promise().continuation = h;
    return handle;
  }
  int await_resume() { return 1; }
};

struct Event {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { waiters.push_back(h); }
  int await_resume() { return 0; }
  std::vector<std::coroutine_handle<>> waiters;
};
Event never;
Event soon;

const char* waits(const char* function, int line) {
  std::printf("%s %d\n", function, line);
  return function;
}
#define WAITS (void)waits(__func__, __LINE__ + 1)

Task leaf(int kind) {
  if (kind % 2 == 0) {
    WAITS;
    co_await never;
  }
  co_await soon;
  WAITS;
  const int result = co_await never;
  co_return result;
}

Task middle(int kind) {
  char text[40];
  std::snprintf(text, sizeof text, "%d", kind);
  WAITS;
  if (co_await leaf(kind) != 0) std::puts(text);
  co_return static_cast<int>(std::strlen(text));
}

Task root(int kind) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    WAITS;
    sum += co_await middle(kind);
  }
  co_return sum;
}

Task not_started(int kind) { co_return kind; }

Task has_ended(int kind) { co_return kind; }

Task big(int kind) {
  char buffer[200'000];
  std::memset(buffer, kind, sizeof buffer);
  WAITS;
  co_await never;
  co_return buffer[kind];
}

template <typename T>
Task of_type(T value) {
  const auto inner = [](T v) -> Task {
    WAITS;
    co_await never;
    co_return static_cast<int>(sizeof v);
  };
  WAITS;
  co_return co_await inner(value);
}

// clang stores is_ready together with the number of the suspension point, which is beside it.
struct Flag {
  bool is_ready = false;
  bool await_ready() { return is_ready; }
  [[gnu::noinline]] void await_suspend(std::coroutine_handle<> h) { never.await_suspend(h); }
  [[gnu::noinline]] int await_resume() { return is_ready ? 1 : 7; }
};

Task flags(int kind) {
  const int first = co_await Flag{true};
  WAITS;
  const int second = co_await Flag{};
  const int third = co_await Flag{};
  std::printf("%d%d%d", first, second, third);
  co_return kind;
}

}  // namespace

int main() {
  std::vector<Task> tasks;
  const auto start = [&](Task task) {
    tasks.push_back(std::move(task));
    tasks.back().handle.resume();
  };
  for (int i = 0; i < 20; i++) start(root(i));
  for (int i = 0; i < 5; i++) tasks.push_back(not_started(i));
  for (int i = 0; i < 4; i++) start(has_ended(i));
  start(big(1));
  start(of_type(1));
  start(of_type('x'));
  start(flags(1));
  std::vector<std::coroutine_handle<>> ready;
  ready.swap(soon.waiters);
  for (const auto& handle : ready) handle.resume();
  {  // Freed: nothing may find them.
    const int out = dup(1);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) std::abort();
    std::vector<Task> gone;
    for (int i = 0; i < 200; i++) {
      gone.push_back(root(2 * i));
      gone.back().handle.resume();
    }
    never.waiters.clear();
    gone.clear();
    std::fflush(stdout);
    dup2(out, 1);
  }
  std::puts("end");
  std::fflush(stdout);
  for (;;) pause();
}
