// A worker has the handle of its nursery, whose promise has the handles of its workers; it waits for a callback.
#include <poll.h>

#include <array>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>
namespace app {

using handle = std::coroutine_handle<>;

struct resumption {
  bool await_ready() noexcept { return false; }
  template <typename Promise>
  handle await_suspend(std::coroutine_handle<Promise> ended) noexcept {
    return ended.promise().continuation ? ended.promise().continuation : std::noop_coroutine();
  }
  void await_resume() noexcept {}
};
template <typename Promise>
struct task_of {
  using promise_type = Promise;
  std::coroutine_handle<Promise> coroutine;
  bool await_ready() { return coroutine.done(); }
  handle await_suspend(handle waiter) {
    coroutine.promise().continuation = waiter;
    return coroutine;
  }
  void await_resume() {}
};
template <typename Promise>
struct usual_promise {
  handle continuation = {};
  task_of<Promise> get_return_object() {
    return {std::coroutine_handle<Promise>::from_promise(static_cast<Promise&>(*this))};
  }
  std::suspend_always initial_suspend() noexcept { return {}; }
  resumption final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() { std::terminate(); }
};

struct worker_promise : usual_promise<worker_promise> {};
using worker_task = task_of<worker_promise>;
struct nursery_promise : usual_promise<nursery_promise> {
  std::array<handle, 4> workers = {};
  size_t count = 0;
  void add(const worker_task& one) { workers[count++] = one.coroutine; }
};
using nursery_task = task_of<nursery_promise>;
struct mine {
  nursery_promise* found = nullptr;
  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<nursery_promise> of) {
    found = &of.promise();
    return false;
  }
  nursery_promise& await_resume() { return *found; }
};

std::vector<std::pair<handle, int*>> callbacks;
struct callback {
  int result = 0;
  bool await_ready() { return false; }
  void await_suspend(handle waiter) { callbacks.emplace_back(waiter, &result); }
  int await_resume() { return result; }
};
int sum = 0;

worker_task by_handle(std::coroutine_handle<nursery_promise> nursery) {
  while (!nursery.done()) sum += co_await callback();
}
worker_task by_reference(nursery_promise& nursery) {
  while (nursery.count != 0) sum += co_await callback();
}
nursery_task of_handles() {
  nursery_promise& self = co_await mine();
  const worker_task worker = by_handle(std::coroutine_handle<nursery_promise>::from_promise(self));
  self.add(worker);
  co_await worker_task(worker);
}
nursery_task of_references() {
  nursery_promise& self = co_await mine();
  self.add(by_reference(self));
  co_await worker_task{std::coroutine_handle<worker_promise>::from_address(self.workers[0].address())};
}

}  // namespace app

int main() {
  app::of_handles().coroutine.resume();
  app::of_references().coroutine.resume();
  puts("READY");
  fflush(stdout);
  for (;;) {
    poll(nullptr, 0, 200);
    for (const auto& [waiter, result] : std::exchange(app::callbacks, {})) {
      *result = 1;
      waiter.resume();
    }
  }
}
