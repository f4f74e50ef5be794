// Generators that their consumers resume by a call, and that have no handle of them: paths as in
// burn.h.
//
// path 1: serve:a sum numbers
// path 2: serve:a sum
// path 3: serve:b total filtered squares
// path 4: serve:b total filtered
#include <coroutine>
#include <exception>
#include <thread>
#include <utility>

#include "burn.h"

// Otherwise clang 19 makes one function of all of them; clang 14 has frames on the stack.
#if defined(__clang__) && __clang_major__ > 14
#define APART [[gnu::noinline]]
#else
#define APART
#endif

namespace app {

std::atomic<bool> is_over = false;

struct [[nodiscard]] Task {
  struct promise_type {
    std::coroutine_handle<> continuation = nullptr;
    long value = 0;
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Last {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> own) noexcept {
        return own.promise().continuation ? own.promise().continuation : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Last final_suspend() noexcept { return {}; }
    void return_value(long result) { value = result; }
    void unhandled_exception() { std::terminate(); }
  };
  struct Awaiter {
    std::coroutine_handle<promise_type> awaited;
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> handle) {
      awaited.promise().continuation = handle;
      return awaited;
    }
    long await_resume() noexcept { return awaited.promise().value; }
  };
  explicit Task(std::coroutine_handle<promise_type> own) : handle(own) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  Awaiter operator co_await() const { return {handle}; }
  std::coroutine_handle<promise_type> handle;
};

struct Generator {
  struct promise_type {
    long value = 0;
    Generator get_return_object() {
      return Generator{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long next) noexcept {
      value = next;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  explicit Generator(std::coroutine_handle<promise_type> own) : handle(own) {}
  Generator(Generator&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Generator() {
    if (handle) handle.destroy();
  }
  bool next() {
    handle.resume();
    return !handle.done();
  }
  long value() const { return handle.promise().value; }
  std::coroutine_handle<promise_type> handle;
};

APART Generator numbers(long count) {
  for (long i = 0; i < count; i++) {
    burn<1>(20);
    co_yield i;
  }
}

APART Task sum(long count) {
  Generator all = numbers(count);
  long result = 0;
  while (all.next()) {
    burn<2>(10);
    result += all.value();
  }
  co_return result;
}

APART Generator squares(long count) {
  for (long i = 0; i < count; i++) {
    burn<3>(20);
    co_yield i* i;
  }
}

APART Generator filtered(long count) {
  Generator all = squares(count);
  while (all.next()) {
    burn<4>(20);
    if (all.value() % 2 == 0) co_yield all.value();
  }
}

APART Task total(long count) {
  Generator all = filtered(count);
  long result = 0;
  while (all.next()) result += all.value();
  co_return result;
}

Task serve() {
  while (!is_over) {
    sink = sink + static_cast<unsigned>(co_await sum(10));  // a
    sink = sink + static_cast<unsigned>(co_await total(10));  // b
  }
  co_return 0;
}

}  // namespace app

int main(int, char** words) {
  std::thread work([] {
    const app::Task all = app::serve();
    all.handle.resume();
  });
  app::sleep_for(words[1]);
  app::is_over = true;
  work.join();
  app::report();
}
