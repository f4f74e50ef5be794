// What the programs here print: where each of their coroutines is.
#pragma once

#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

// "at FUNCTION LINE AWAITER": one that waits for an object of this type; "-": for none of the program.
inline void at(const char* function, int line, const char* awaiter) {
  std::printf("at %s %d %s\n", function, line, awaiter);
}
// The next line waits.
#define AT(awaiter) at(__func__, __LINE__ + 1, awaiter)
// "new FUNCTION LINE": one that has not started, and the line of its name; 0: any.
inline void not_started(const char* function, int line = 0) {
  std::printf("new %s %d\n", function, line);
}
// "joins FUNCTION COUNT": how many coroutines the one of this function waits for together.
inline void joins(const char* function, int count) { std::printf("joins %s %d\n", function, count); }

[[noreturn]] inline void ready() {
  std::puts("ready");
  std::fflush(stdout);
  while (true) pause();
}

namespace SPACE {  // of -DSPACE=NAME, or without a name

// It begins at once and is destroyed at its end.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

struct Event {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { waiters.push_back(handle); }
  void await_resume() {}
  std::vector<std::coroutine_handle<>> waiters = {};
};
inline Event never;

}  // namespace SPACE
