// A co_await that is reached only after an exception was caught: g++ moves its code, which it
// expects to run rarely, out of the coroutine's function.
#include <stdexcept>

#include "places.h"

namespace SPACE {

struct Backoff {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { never.waiters.push_back(handle); }
  void await_resume() {}
};

[[gnu::noinline]] void request(int number) {
  if (number > 0) throw std::runtime_error("refused");
}

constexpr int line_of_retry = __LINE__ + 8;
Detached retry(int number) {
  for (int i = 0; i < 3; i++) {
    try {
      request(number);
      co_return;
    } catch (const std::exception&) {
    }
    co_await Backoff{};
  }
}

constexpr int line_of_once = __LINE__ + 7;
Detached once(int number) {
  try {
    request(number);
    co_return;
  } catch (const std::exception&) {
  }
  co_await Backoff{};
  co_await never;
}

constexpr int line_of_report = __LINE__ + 8;
Detached report(int number) {
  bool has_failed = false;
  try {
    request(number);
  } catch (...) {
    has_failed = true;
  }
  if (has_failed) co_await Backoff{};
  co_await never;
}

constexpr int line_of_reported = __LINE__ + 9;
Detached both(int number) {
  std::exception_ptr error;
  try {
    request(number);
  } catch (...) {
    error = std::current_exception();
  }
  if (error) {
    co_await never;
    co_await Backoff{};
  } else {
    co_await Backoff{};
  }
}

void begin() {
  retry(1);
  at("retry", line_of_retry, "Backoff");
  once(1);
  at("once", line_of_once, "Backoff");
  report(1);
  at("report", line_of_report, "Backoff");
  both(1);
  at("both", line_of_reported, "Event");
}

}  // namespace SPACE

int main() {
  SPACE::begin();
  ready();
}
