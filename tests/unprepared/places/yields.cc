// Generators at a co_yield, and what is in the code before it.
#include "places.h"

namespace SPACE {

volatile int sink = 0;

// It is awaited itself, and resumes its consumer.
struct Generator {
  struct promise_type {
    int value = 0;
    std::coroutine_handle<> consumer = {};
    Generator get_return_object() {
      return Generator{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Yield {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> of) noexcept {
        return std::exchange(of.promise().consumer, std::noop_coroutine());
      }
      void await_resume() noexcept {}
    };
    Yield final_suspend() noexcept { return {}; }
    Yield yield_value(int of) noexcept {
      value = of;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Generator(std::coroutine_handle<promise_type> of) : handle(of) {}
  Generator(Generator&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Generator() {
    if (handle) handle.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> of) {
    handle.promise().consumer = of;
    return handle;
  }
  int* await_resume() { return handle.done() ? nullptr : &handle.promise().value; }
  void resume() {
    handle.promise().consumer = std::noop_coroutine();
    handle.resume();
  }
};

// Without an awaiter of its own.
struct Plain {
  struct promise_type {
    int value = 0;
    Plain get_return_object() {
      return Plain{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int of) noexcept {
      value = of;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Plain(std::coroutine_handle<promise_type> of) : handle(of) {}
  Plain(Plain&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Plain() {
    if (handle) handle.destroy();
  }
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> of) {
    handle.resume();
    of.resume();
  }
  int await_resume() { return handle.promise().value; }
};

// It is ready, or not.
struct Flag {
  bool is_ready;
  bool await_ready() { return is_ready; }
  void await_suspend(std::coroutine_handle<> of) { never.waiters.push_back(of); }
  int await_resume() { return 1; }
};

Plain counted(int count) {
  for (int i = 0; i < count; i++) {
    AT("-");
    co_yield i;
  }
}
Plain first_two() {
  co_yield 1;
  AT("-");
  co_yield 2;
  co_yield 3;
}
constexpr int line_of_copied = __LINE__ + 2;
Plain copied(Plain of) {
  while (true) co_yield co_await of;
}
constexpr int line_of_copied_later = __LINE__ + 4;
Plain copied_later(Plain of) {
  while (true) {
    const int one = co_await of;
    co_yield one;
  }
}
Plain of_flag(bool is_ready) {
  const int one = co_await Flag{is_ready};
  AT("-");
  co_yield one;
}
Detached event_after_flag(bool is_ready) {
  int sum = 0;
  {
    const int one = co_await Flag{is_ready};
    sum += one;
  }
  AT("Event");
  co_await never;
  sink = sum;
}
Detached at_flag(bool is_ready) {
  int sum = co_await Flag{true};
  AT("Flag");
  sum += co_await Flag{is_ready};
  co_await never;
  sink = sum;
}
constexpr int line_of_numbers = __LINE__ + 2;
Generator numbers(int count) {
  for (int i = 0; i < count; i++) co_yield i;
}
constexpr int line_of_doubled = __LINE__ + 2;
Generator doubled(Generator of) {
  while (int* one = co_await of) co_yield 2 * *one;
}
constexpr int line_of_tripled = __LINE__ + 3;
Generator tripled(Generator of) {
  while (int* one = co_await of)
    co_yield 3 * *one;
}
Detached consumer(Generator of) {
  int sum = 0;
  while (int* one = co_await of) {
    sum += *one;
    if (sum > 6) {
      AT("Event");
      co_await never;
    }
  }
  sink = sum;
}
Generator waits_between() {
  co_yield 1;
  AT("Event");
  co_await never;
}
constexpr int line_of_next = __LINE__ + 6;
Detached waits_for_next() {
  auto of = waits_between();
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    if (i == 1) at("waits_for_next", line_of_next, "Generator");
    sum += *co_await of;
  }
  sink = sum;
}

[[noreturn]] void begin() {
  Plain some = counted(1);
  some.handle.resume();
  Plain two = first_two();
  two.handle.resume();
  two.handle.resume();
  Plain all = copied(counted(1));
  all.handle.resume();
  at("copied", line_of_copied, "-");
  Plain later = copied_later(counted(1));
  later.handle.resume();
  at("copied_later", line_of_copied_later, "-");
  Plain flag = of_flag(true);
  flag.handle.resume();
  Plain other_flag = of_flag(false);
  other_flag.handle.resume();
  never.waiters.back().resume();
  never.waiters.pop_back();
  event_after_flag(true);
  event_after_flag(false);
  const auto waiting = never.waiters.back();
  never.waiters.pop_back();
  waiting.resume();
  at_flag(false);
  Generator twice = doubled(numbers(5));
  twice.resume();
  twice.resume();
  at("doubled", line_of_doubled, "Yield");
  at("numbers", line_of_numbers, "Yield");
  consumer(tripled(numbers(5)));
  at("tripled", line_of_tripled, "Yield");
  at("numbers", line_of_numbers, "Yield");
  waits_for_next();
  ready();
}

}  // namespace SPACE

int main() { SPACE::begin(); }
