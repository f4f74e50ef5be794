// Coroutines that wait, have not started, have ended, were destroyed or have freed themselves; it
// prints the frames of those that are left, as "FRAME FUNCTION STATE AWAITED". With -DPOOL their
// frames come from a pool on top of malloc.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory_resource>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct State {
  const char* function = "";
  const char* state = "";
  void* awaited = nullptr;
};
std::map<void*, State> truth;
const char* caller = "";  // that awaits next
#define AWAIT(what)    \
  do {                 \
    caller = __func__; \
    co_await what;     \
  } while (false)

struct Promise {
  std::coroutine_handle<> continuation;
#ifdef POOL
  static inline std::pmr::unsynchronized_pool_resource pool;
  void* operator new(size_t size) { return pool.allocate(size, 16); }
  void operator delete(void* frame, size_t size) { pool.deallocate(frame, size, 16); }
#endif
  std::suspend_always initial_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() { std::terminate(); }
};

struct [[nodiscard]] Task {
  struct promise_type : Promise {
    Task get_return_object() {
      const auto handle = std::coroutine_handle<promise_type>::from_promise(*this);
      truth[handle.address()] = {"?", "not started"};
      return Task{handle};
    }
    ~promise_type() {
      truth.erase(std::coroutine_handle<promise_type>::from_promise(*this).address());
    }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        truth[h.address()] = {"?", "has ended"};
        const auto next = h.promise().continuation;
        return next ? next : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  [[gnu::noinline]] ~Task() {
    if (handle) handle.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) {
    truth[h.address()] = {caller, "waits", handle.address()};
    handle.promise().continuation = h;
    return handle;
  }
  void await_resume() {}
};

// Nothing owns it: its frame is freed when it ends.
struct Detached {
  struct promise_type : Promise {
    Detached get_return_object() { return {}; }
    ~promise_type() {
      truth.erase(std::coroutine_handle<promise_type>::from_promise(*this).address());
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
  };
};

struct Event {
  std::vector<std::coroutine_handle<>> waiters = {};
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    truth[h.address()] = {caller, "waits"};
    waiters.push_back(h);
  }
  void await_resume() {}
  void fire() {
    for (const auto waiter : std::exchange(waiters, {})) waiter.resume();
  }
};
Event never;
Event soon;

Task leaf(int number) {
  if (number % 2 == 1) AWAIT(soon);
  AWAIT(never);
}

Task middle(int number) {
  char text[100];
  std::memset(text, number, sizeof text);
  AWAIT(leaf(number));
  std::printf("%d\n", text[number % 100]);
}

Task root(int number) { AWAIT(middle(number)); }

Task ends() { co_return; }

Detached frees_itself(int number) {
  AWAIT(soon);
  if (number % 10 == 0) AWAIT(never);
}

}  // namespace

int main() {
  std::vector<Task> tasks;
  const auto start = [&](Task task) {
    tasks.push_back(std::move(task));
    tasks.back().handle.resume();
  };
  for (int i = 0; i < 60; i++) start(root(i));
  for (int i = 0; i < 7; i++) tasks.push_back(root(i));
  for (int i = 0; i < 5; i++) start(ends());
  for (int i = 0; i < 50; i++) frees_itself(i);
  std::vector<Task> others;
  std::thread([&] {
    for (int i = 0; i < 30; i++) {
      others.push_back(root(i));
      others.back().handle.resume();
    }
  }).join();
  {
    std::vector<Task> gone;
    for (int i = 0; i < 300; i++) {
      gone.push_back(root(2 * i));
      gone.back().handle.resume();
    }
    never.waiters.resize(never.waiters.size() - 300);
    never.waiters.shrink_to_fit();
  }
  // Blocks that are reused, with what was in them.
  static char* volatile reused[20];
  for (size_t i = 0; i < std::size(reused); i++) {
    reused[i] = static_cast<char*>(std::malloc(3000 + 16 * i));
    if (reused[i] != nullptr) reused[i][0] = 1;
  }
  soon.fire();
  for (const auto& [frame, one] : truth)
    std::printf("%lu %s %p %s\n", reinterpret_cast<unsigned long>(frame), one.function, one.awaited,
                one.state);
  std::puts("end");
  std::fflush(stdout);
  pause();
}
