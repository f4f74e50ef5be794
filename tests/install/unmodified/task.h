#ifndef TASK_H
#define TASK_H
#include <coroutine>
#include <exception>

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<> handle;
};

Task once(int* count);
Task twice(int* count);
extern "C" int in_c(void);

#endif
