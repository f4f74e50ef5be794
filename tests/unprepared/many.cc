// So many coroutines that skein does not look at each: COUNT wait for one of two events, at the same
// place, and COUNT for an event each. Prints the frame and the event of each, then "ready".
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <vector>

namespace app {

struct Task {
  struct promise_type {
    std::coroutine_handle<> waiter = {};
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    handle.promise().waiter = waiter;
    return handle;
  }
  void await_resume() {}
  std::coroutine_handle<promise_type> handle;
};

struct Event {
  struct Awaiter {
    Event& event;
    Awaiter* next = nullptr;
    std::coroutine_handle<> waiter = {};
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      waiter = handle;
      next = event.first;
      event.first = this;
    }
    void await_resume() {}
  };
  Awaiter operator co_await() { return {*this}; }
  Awaiter* first = nullptr;
};

Task shared(Event& event) { co_await event; }
Task single(Event& event) { co_await event; }
Task session(Event& event) { co_await single(event); }
Task other(Event& event) { co_await event; }

void print(const Event& event) {
  for (const Event::Awaiter* one = event.first; one != nullptr; one = one->next)
    std::printf("%p %p\n", one->waiter.address(), static_cast<const void*>(&event));
}

}  // namespace app

int main(int, char** words) {
  const int count = std::atoi(words[1]);
  std::vector<app::Task> tasks;
  app::Event events[3];
  std::deque<app::Event> own;
  for (int i = 0; i < count; i++) {
    tasks.push_back(app::shared(events[i % 2]));
    tasks.push_back(app::session(own.emplace_back()));
  }
  for (int i = 0; i < 10; i++) tasks.push_back(app::other(events[2]));
  for (const app::Task& task : tasks) task.handle.resume();
  for (app::Event& event : events) print(event);
  for (app::Event& event : own) print(event);
  std::puts("ready");
  std::fflush(stdout);
  std::getchar();
}
