// Coroutine types that the program defines itself (task.h). They are traced without a change to the
// source, by the target skein::coroutine. Try:
//
//   SKEIN_TRACE=trace 020-coroutine && skein dump trace
#include <coroutine>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "task.h"

namespace {

// Wakes its waiter when the program calls it: a substitute for a socket or a timer.
struct bell {
  std::coroutine_handle<> waiter;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> h) { waiter = h; }
  void await_resume() {}
  void ring() { std::exchange(waiter, nullptr).resume(); }
};

generator<int> count_to(int n) {
  for (int i = 1; i <= n; ++i) co_yield i;
}

task<int> sum_to(int n) {
  int sum = 0;
  auto numbers = count_to(n);
  while (auto number = numbers.next()) sum += *number;
  co_return sum;
}

task<int> slow_sum(bell& door, int n) {
  co_await door;  // await: door
  co_return co_await sum_to(n);
}

task<int> fails(bell& door) {
  co_await door;
  throw std::runtime_error("the door is locked");
}

task<std::string> program(bell& first, bell& second, bell& third) {
  std::vector<task<int>> both;
  both.push_back(slow_sum(first, 10));
  both.push_back(slow_sum(second, 100));
  const std::vector<int> sums = co_await when_all(std::move(both));  // await: when_all
  std::string text = std::to_string(sums[0]) + " " + std::to_string(sums[1]);
  try {
    co_await fails(third);
  } catch (const std::runtime_error& e) {
    text += std::string(", ") + e.what();
  }
  co_return text;
}

}  // namespace

int main() {
  bell first, second, third;
  task<std::string> main_task = program(first, second, third);
  main_task.start();
  second.ring();
  first.ring();
  third.ring();
  std::printf("%s\n", main_task.result().c_str());
}
