// A coroutine type whose awaiter throws, for sources that are compiled differently.
#pragma once
#include <coroutine>
#include <cstdio>

void may_throw(int value);

struct Noisy {
  explicit Noisy(const char* name) : name(name) {}
  Noisy(Noisy&& other) noexcept : name(other.name) { other.name = nullptr; }
  ~Noisy() {
    if (name != nullptr) std::printf("~%s\n", name);
  }
  const char* name;
};

struct Awaiter {
  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<>) {
    may_throw(value);
    return false;
  }
  int await_resume() { return value; }
  int value;
  Noisy noisy;
};

struct Operation {
  Awaiter operator co_await() && {
    may_throw(value + 10);
    return {value, Noisy("awaiter")};
  }
  int value;
  Noisy noisy;
};

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::puts("unhandled"); }
    Operation await_transform(int value) { return {value, Noisy("transformed")}; }
    template <class T>
    T&& await_transform(T&& awaited) {
      return static_cast<T&&>(awaited);
    }
  };
  ~Task() { handle.destroy(); }
  std::coroutine_handle<promise_type> handle;
};

inline Task both(int value) {
  const Noisy local("local");
  int got = co_await value;
  std::printf("both %d\n", got);
  got = co_await Operation{value + 1, Noisy("operation")};
  std::printf("both %d\n", got);
}

void other();
