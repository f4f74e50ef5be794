// Ordinary coroutines. Only main uses skein, to set the path of the trace.
#include <skein/skein.h>

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

Task twice(int* count) {
  ++*count;
  co_await std::suspend_always{};
  ++*count;
}

int main(int, char** argv) {
  skein_options options{};
  options.directory = argv[1];
  if (skein_start(&options) != 0) return 1;
  int count = 0;
  Task task = twice(&count);
  task.handle.resume();
  task.handle.destroy();
  skein_stop();
  return count == 2 ? 0 : 1;
}
