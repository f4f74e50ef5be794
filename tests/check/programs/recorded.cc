// Linked with skein. recorded hang: a task waits for another that does not end. recorded N: N tasks
// run one after the other, each with 3 awaits and 2 hops between threads, and for about 2 ms.
// recorded crash: the same, and it ends by a signal. recorded destroy: a task is destroyed for which another waits.
#include <skein/coroutine.h>
#include <skein/record.h>
#include <unistd.h>

#include <chrono>
#include <coroutine>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <thread>

struct Task {
  struct promise_type {
    std::coroutine_handle<> waiter = {};
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return handle.done(); }
  void await_suspend(std::coroutine_handle<> waiter) { handle.promise().waiter = waiter; }
  void await_resume() {}
};

struct Pause {
  std::coroutine_handle<>* place;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { *place = handle; }
  void await_resume() {}
};

std::coroutine_handle<> waiting;

void compute() {
  timespec begin = {}, now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - begin.tv_sec) * 1'000'000'000L + now.tv_nsec - begin.tv_nsec < 1'000'000);
}

Task handle_request() {
  compute();
  co_await Pause{&waiting};
  compute();
  co_await Pause{&waiting};
  co_await Pause{&waiting};
}

Task never_ends() {
  co_await Pause{&waiting};  // HANGS never_ends
}

Task run_client() {
  co_await never_ends();
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "hang") == 0) {
    [[maybe_unused]] const Task client = run_client();
    for (;;) pause();
  }
  if (argc > 1 && strcmp(argv[1], "crash") == 0) {
    [[maybe_unused]] const Task client = run_client();
    abort();
  }
  if (argc > 1 && strcmp(argv[1], "destroy") == 0) {
    const Task client = run_client();
    waiting.destroy();
    handle_request();
    return client.handle.done();
  }
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < count; i++) {
    const Task task = handle_request();
    std::thread([] { waiting.resume(); }).join();
    waiting.resume();
    waiting.resume();
    task.handle.destroy();
  }
}
