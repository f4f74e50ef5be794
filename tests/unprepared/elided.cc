// Coroutines whose frames clang puts on the stack of the plain function that calls them. Two
// functions wait in the scope of such a coroutine; the others have left it, and the stack has its
// remains.
#include <unistd.h>

#include <atomic>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <utility>

namespace {

struct Numbers {
  struct promise_type {
    int value = 0;
    Numbers get_return_object() {
      return Numbers{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int number) {
      value = number;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Numbers(std::coroutine_handle<promise_type> h) : handle(h) {}
  Numbers(Numbers&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Numbers() {
    if (handle) handle.destroy();
  }
  bool next() {
    handle.resume();
    return !handle.done();
  }
};

std::atomic<int> sleeping = 0;

[[gnu::noinline]] void sleep_for_good() {
  sleeping++;
  while (sleeping > 0) pause();
}

[[gnu::noinline]] void use(const char* text, int number) {
  static std::atomic<long> sum = 0;
  sum += text[0] + number;
}

Numbers count(int n) {
  char text[40];
  std::snprintf(text, sizeof text, "%d", n);
  for (int i = 0; i < n; i++) {
    use(text, i);
    co_yield i;
  }
}

Numbers words(int n) {
  for (int i = 0; i < n; i++) {
    std::string word(static_cast<size_t>(i + 40), 'x');
    use(word.c_str(), i);
    co_yield i;
    use(word.c_str(), -i);
  }
}

[[gnu::noinline]] void loops(int n) {
  Numbers numbers = count(n);
  int sum = 0;
  while (numbers.next()) {
    sum += numbers.handle.promise().value;
    if (sum == 3) sleep_for_good();
  }
  use("sum", sum);
}

[[gnu::noinline]] void destroys(int n) {
  Numbers numbers = words(n);
  numbers.next();
  numbers.next();
  if (n > 3) sleep_for_good();
}

[[gnu::noinline]] void left_one(int n) {
  {
    Numbers numbers = count(n);
    while (numbers.next() && numbers.handle.promise().value < 2) use("left", n);
  }
  sleep_for_good();
  use("left", n);
}

[[gnu::noinline]] void creates_again(int n) {
  for (int i = 0; i < n; i++) {
    Numbers numbers = count(n + i);
    while (numbers.next() && numbers.handle.promise().value < 2) use("again", n);
    if (i == n) use("never", numbers.handle.promise().value);
  }
  sleep_for_good();
  use("left", n);
}

// Of a function that has returned: below the pointer of the stack.
[[gnu::noinline]] void deep(int n) {
  char space[4000];
  std::snprintf(space, sizeof space, "%d", n);
  Numbers numbers = count(n);
  while (numbers.next() && numbers.handle.promise().value < 2) use(space, n);
}
[[gnu::noinline]] void returned(int n) {
  deep(n);
  sleep_for_good();
  use("left", n);
}

}  // namespace

int main(int argc, char**) {
  const int n = 6 + argc;
  void (*const functions[])(int) = {loops, destroys, left_one, creates_again, returned};
  int started = 0;
  for (const auto function : functions) std::thread(function, n).detach(), started++;
  while (sleeping != started) usleep(1000);
  std::puts("end");
  std::fflush(stdout);
  for (;;) pause();
}
