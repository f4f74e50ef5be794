// A coroutine that ends; then waits.
#include <unistd.h>

#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

[[gnu::noinline]] Task end_at_once(int& count) {
  count++;
  co_await std::suspend_never();
}

int main() {
  int count = 0;
  end_at_once(count);
  while (count > 0) pause();  // HANGS main
}
