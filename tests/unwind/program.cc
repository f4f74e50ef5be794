// A program for snapshots.cc: it has as many kinds of functions on its stack as possible, in rounds
// of some 10,000 instructions, until it is killed.
//
//   program [thread]      all of it runs in a second thread
#include <alloca.h>

#include <algorithm>
#include <coroutine>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

volatile unsigned sink = 1;

[[gnu::noinline]] unsigned leaf(unsigned a, unsigned b) { return a * 31 + (b ^ a >> 3); }

[[gnu::noinline]] unsigned recursion(unsigned depth, unsigned value) {
  if (depth == 0) return leaf(value, sink);
  return recursion(depth - 1, leaf(value, depth)) + 1;
}

// Keeps all registers that it can.
[[gnu::noinline]] unsigned many_values(const unsigned* in, unsigned depth) {
  const unsigned a = leaf(in[0], 1), b = leaf(in[1], a), c = leaf(in[2], b), d = leaf(in[3], c);
  const unsigned e = leaf(a, d), f = leaf(b, e), g = leaf(c, f);
  const unsigned next[] = {e, f, g, d};
  const unsigned rest = depth == 0 ? sink : many_values(next, depth - 1);
  return a + b * c + d * e + f * g + rest + leaf(a ^ b, c ^ d) + leaf(e, f);
}

[[gnu::noinline]] unsigned variable_size(unsigned size) {
  auto* bytes = static_cast<volatile char*>(alloca(size));
  for (unsigned i = 0; i < size; i += 64) bytes[i] = static_cast<char>(i);
  return recursion(3, static_cast<unsigned>(bytes[0]) + size);
}

// Needs an aligned stack, whose CFA is an expression.
[[gnu::noinline]] unsigned aligned(unsigned value) {
  alignas(64) volatile unsigned words[32];
  for (unsigned i = 0; i < 32; i++) words[i] = leaf(value, i);
  return recursion(2, words[value % 32]);
}

[[gnu::noinline]] unsigned aligned_and_variable(unsigned value) {
  alignas(64) volatile unsigned words[32];
  auto* bytes = static_cast<volatile char*>(alloca(16 + value % 64));
  bytes[0] = 1;
  for (unsigned i = 0; i < 32; i++) words[i] = leaf(value, i);
  return recursion(2, words[value % 32]) + static_cast<unsigned>(bytes[0]);
}

struct Base {
  virtual ~Base() = default;
  virtual unsigned work(unsigned value) const = 0;
};
struct First : Base {
  unsigned work(unsigned value) const override { return recursion(4, value); }
};
struct Second : virtual Base {
  unsigned work(unsigned value) const override { return leaf(value, 5) + First().work(value); }
};

int compare(const void* a, const void* b) {
  return static_cast<int>(leaf(*static_cast<const unsigned*>(a), 0) % 100) -
         static_cast<int>(leaf(*static_cast<const unsigned*>(b), 0) % 100);
}

// Callbacks below functions of libraries.
[[gnu::noinline]] unsigned libraries(unsigned value) {
  unsigned numbers[12];
  for (unsigned i = 0; i < 12; i++) numbers[i] = leaf(value, i);
  qsort(numbers, 12, sizeof numbers[0], compare);
  std::vector<unsigned> more(numbers, numbers + 12);
  std::sort(more.begin(), more.end(),
            [](unsigned a, unsigned b) { return leaf(a, b) % 7 < 3 && a < b; });
  std::map<std::string, unsigned> map;
  for (const unsigned number : more) map[std::to_string(number)] = number;
  char text[64];
  snprintf(text, sizeof text, "%u %s %.3f", value, map.begin()->first.c_str(), value / 3.0);
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);  // in the vDSO
  return static_cast<unsigned>(strlen(text)) + static_cast<unsigned>(map.size()) +
         static_cast<unsigned>(now.tv_nsec & 1);
}

struct Unwound {
  ~Unwound() { sink = leaf(sink, 3); }
};

[[gnu::noinline]] unsigned throws(unsigned depth) {
  const Unwound unwound;
#ifndef WITHOUT_EXCEPTIONS
  if (depth == 0) throw std::runtime_error("at the end");
#else
  if (depth == 0) return 1;
#endif
  return throws(depth - 1) + 1;
}

[[gnu::noinline]] unsigned exceptions(unsigned value) {
#ifndef WITHOUT_EXCEPTIONS
  try {
    return throws(value % 4);
  } catch (const std::exception& error) {
    return leaf(value, static_cast<unsigned>(error.what()[0]));
  }
#else
  return throws(value % 4);
#endif
}

void handle(int) { sink = recursion(3, sink); }
void handle_with_info(int, siginfo_t* info, void*) {
  sink = many_values(reinterpret_cast<const unsigned*>(info), 1);
}

[[gnu::noinline]] unsigned signals(unsigned value) {
  raise(SIGUSR1);
  raise(SIGUSR2);
  return value;
}

jmp_buf place;
[[gnu::noinline]] void jump(unsigned depth) {
  if (depth == 0) longjmp(place, 1);
  jump(depth - 1);
  sink = sink + 1;
}
[[gnu::noinline]] unsigned jumps(unsigned value) {
  if (setjmp(place) == 0) jump(value % 5);
  return value + 1;
}

struct Task {
  struct promise_type {
    std::coroutine_handle<> waiter = {};
    unsigned result = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept {
        const auto waiter = done.promise().waiter;
        return waiter ? waiter : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(unsigned value) { result = value; }
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    handle.promise().waiter = waiter;
    return handle;
  }
  unsigned await_resume() {
    const unsigned result = handle.promise().result;
    handle.destroy();
    return result;
  }
};

std::coroutine_handle<> suspended;
struct Suspend {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { suspended = handle; }
  void await_resume() {}
};

Task inner(unsigned depth) {
  if (depth == 0) co_return leaf(sink, 1);
  const unsigned a = co_await inner(depth - 1);
  co_await Suspend{};
  co_return recursion(3, a);
}
Task outer(unsigned value) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 3; i++) sum += co_await inner(i) + many_values(&sum, 0);
  co_return sum + value;
}

[[gnu::noinline]] unsigned coroutines(unsigned value) {
  const Task task = outer(value);
  task.handle.resume();
  while (!task.handle.done()) std::exchange(suspended, {}).resume();
  const unsigned result = task.handle.promise().result;
  task.handle.destroy();
  return result;
}

void one_round(unsigned value) {
  const unsigned numbers[] = {value, value + 1, value + 2, value + 3};
  sink = sink + recursion(20 + value % 20, value);
  sink = sink + many_values(numbers, 4) + variable_size(100 + value % 1000) + aligned(value);
  sink = sink + aligned_and_variable(value);
  const std::unique_ptr<Base> objects[] = {std::make_unique<First>(), std::make_unique<Second>()};
  for (const auto& object : objects) sink = sink + object->work(value);
  const std::function<unsigned(unsigned)> functions[] = {libraries, exceptions, signals, jumps,
                                                         coroutines};
  for (const auto& function : functions) sink = sink + function(value);
}

void run() {
  raise(SIGURG);  // its libraries are loaded
  for (unsigned value = 1;; value++) {
    one_round(value);
    if (value % 32 == 0) sink = sink + recursion(3000, value);  // longer than a copy
  }
}

}  // namespace

int main(int count, char**) {
  signal(SIGUSR1, handle);
  signal(SIGURG, handle);
  struct sigaction action = {};
  action.sa_sigaction = handle_with_info;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR2, &action, nullptr);
  if (count == 1) run();
  std::thread(run).join();
}
