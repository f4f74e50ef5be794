// Coroutines that have not started, whose frames are created by functions that clang may put into
// their callers; and others that began at once.
#include <memory>

#include "places.h"

namespace SPACE {

volatile int sink = 0;

struct Task {
  struct promise_type {
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

Task short_one() { co_return; }
Task in_one_line(Event& of) { co_await of; }
constexpr int line_of_parameters = __LINE__ + 1;
Task with_parameters(int one,
                     int two,
                     int three) {
  sink = one + two + three;
  co_await never;
}
template <typename Type>
Task of_type(Type value) {
  sink = static_cast<int>(value);
  co_await never;
}
struct Server {
  int number = 1;
  Task serve() {
    sink = number;
    co_await never;
  }
};
constexpr int line_of_called_twice = __LINE__ + 1;
Task called_twice(int one) {
  sink = one;
  co_await never;
  AT("Event");
  co_await never;
}
Task creates(std::vector<Task>& all) {
  all.push_back(short_one());
  AT("Event");
  co_await never;
}
Detached at_once(int one) {
  sink = one;
  AT("Event");
  co_await never;
}
Detached creates_at_once(std::vector<Task>& all) {
  all.push_back(short_one());
  AT("Event");
  co_await never;
  sink = 2;
}

[[noreturn]] void begin() {
  static Server server;
  static std::vector<Task> all;
  const auto add = [&](const char* name, Task task, int line = 0) {
    not_started(name, line);
    all.push_back(task);
  };
  add("short_one", short_one());
  add("in_one_line", in_one_line(never));
  add("with_parameters", with_parameters(1, 2, 3), line_of_parameters);
  add("of_type", of_type(1));
  add("of_type", of_type(2.5));
  add("serve", server.serve());
  add("called_twice", called_twice(1), line_of_called_twice);
  all.push_back(called_twice(2));
  all.back().handle.resume();
  never.waiters.back().resume();
  const auto lambda = [](int one) -> Task {
    sink = one;
    co_await never;
  };
  add("operator()", lambda(3));
  not_started("short_one");
  all.push_back(creates(all));
  const auto last = all.back().handle;
  last.resume();
  at_once(3);
  not_started("short_one");
  creates_at_once(all);
  ready();
}

}  // namespace SPACE

int main() { SPACE::begin(); }
