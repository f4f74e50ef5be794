// A plugin with a coroutine, which module_test.cc loads and unloads.
#include <coroutine>
#include <exception>

struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
static Detached in_module() { co_await std::suspend_never{}; }

extern "C" void run_module() { in_module(); }
