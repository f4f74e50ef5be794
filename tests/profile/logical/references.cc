// Tasks that are awaiters themselves and are awaited where they are: by reference, by pointer, in a
// container. The frame of the one that waits has only an address. Paths as in burn.h.
//
// path 1: serve:a each:b leaf
// path 2: serve:c by_reference:d leaf
// path 3: serve:e by_pointer:f leaf
// path 4: serve:g gather:h run:i leaf
// path 5: serve:g gather:h run:i leaf
// path 6: serve:g gather:h run
#include <coroutine>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "burn.h"

namespace app {

using Handle = std::coroutine_handle<>;

std::atomic<bool> is_over = false;
Handle parts[2] = {};  // what the loop resumes

class [[nodiscard]] Task {
 public:
  struct promise_type {
    Handle waiter = nullptr;
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Last {
      bool await_ready() noexcept { return false; }
      Handle await_suspend(std::coroutine_handle<promise_type> own) noexcept {
        const Handle waiter = own.promise().waiter;
        return waiter ? waiter : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Last final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  Task(Task&& other) noexcept : own_(std::exchange(other.own_, nullptr)) {}
  ~Task() {
    if (own_) own_.destroy();
  }
  bool await_ready() const { return own_.done(); }
  Handle await_suspend(Handle waiter) {
    own_.promise().waiter = waiter;
    return own_;
  }
  void await_resume() {}
  void start() { own_.resume(); }

 private:
  explicit Task(std::coroutine_handle<promise_type> own) : own_(own) {}
  std::coroutine_handle<promise_type> own_;
};

// Awaits several tasks. Those that run them have a pointer to this object, which counts them.
class All {
 public:
  struct Part {
    struct promise_type {
      All* all;
      promise_type(Task&, All* of) : all(of) {}
      Part get_return_object() { return {}; }
      std::suspend_never initial_suspend() noexcept { return {}; }
      struct Last {
        bool await_ready() noexcept { return false; }
        Handle await_suspend(std::coroutine_handle<promise_type> own) noexcept {
          All& all = *own.promise().all;
          own.destroy();
          return --all.left_ == 0 ? all.waiter_ : std::noop_coroutine();
        }
        void await_resume() noexcept {}
      };
      Last final_suspend() noexcept { return {}; }
      void return_void() {}
      void unhandled_exception() { std::terminate(); }
    };
  };
  explicit All(std::vector<Task> tasks) : tasks_(std::move(tasks)) {}
  bool await_ready() const { return tasks_.empty(); }
  bool await_suspend(Handle waiter);
  void await_resume() {}

 private:
  std::vector<Task> tasks_;
  std::atomic<int> left_ = 0;
  Handle waiter_ = nullptr;
};

// Until the loop resumes it: the ones that wait have suspended then.
struct Later {
  int part;
  bool await_ready() const { return false; }
  void await_suspend(Handle handle) const { parts[part] = handle; }
  void await_resume() const {}
};

Task leaf(int path, int part = -1) {
  if (part >= 0) co_await Later{part};
  if (path == 1) burn<1>(50);
  if (path == 2) burn<2>(100);
  if (path == 3) burn<3>(50);
  if (path == 4) burn<4>(100);
  if (path == 5) burn<5>(50);
}

All::Part run(Task& task, All*) {
  co_await task;  // i
  burn<6>(30);
}

bool All::await_suspend(Handle waiter) {
  waiter_ = waiter;
  left_ = static_cast<int>(tasks_.size()) + 1;
  for (Task& task : tasks_) run(task, this);
  return --left_ != 0;
}

Task each(int count) {
  std::vector<Task> tasks;
  for (int i = 0; i < count; i++) tasks.push_back(leaf(1));
  for (Task& task : tasks) co_await task;  // b
}
Task by_reference(Task& task) {
  co_await task;  // d
}
Task by_pointer(std::unique_ptr<Task> task) {
  Task& there = *task;  // g++ 12 copies *task
  co_await there;       // f
}
Task gather() {
  std::vector<Task> tasks;
  tasks.push_back(leaf(4, 0));
  tasks.push_back(leaf(5, 1));
  co_await All(std::move(tasks));  // h
}
Task serve() {
  while (!is_over) {
    co_await each(3);  // a
    Task task = leaf(2);
    co_await by_reference(task);                           // c
    co_await by_pointer(std::make_unique<Task>(leaf(3)));  // e
    co_await gather();                                     // g
  }
}

void work() {
  Task task = serve();
  task.start();
  while (!is_over)
    for (Handle& part : parts) std::exchange(part, std::noop_coroutine()).resume();
}

}  // namespace app

int main(int, char** words) {
  for (app::Handle& part : app::parts) part = std::noop_coroutine();
  std::thread thread(app::work);
  app::sleep_for(words[1]);
  app::is_over = true;
  std::exit((app::report(), 0));
}
