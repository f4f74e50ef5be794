// Coroutines that wait at one place: clang does not read its number.
#include "places.h"

namespace SPACE {

volatile int sink = 0;

struct Scheduler {
  alignas(16) char frames[8][512];
  bool used[8];
  std::coroutine_handle<> sleeping[8];
  int count = 0;
  void* take() {
    for (int i = 0; i < 8; i++)
      if (!used[i]) {
        used[i] = true;
        return frames[i];
      }
    std::terminate();
  }
};
Scheduler scheduler;

// Its frames are in a pool.
struct Pooled {
  struct promise_type {
    static void* operator new(std::size_t size) {
      if (size > 512) std::terminate();
      return scheduler.take();
    }
    static void operator delete(void* frame) {
      scheduler.used[(static_cast<char*>(frame) - scheduler.frames[0]) / 512] = false;
    }
    Pooled get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
struct NextTick {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    scheduler.sleeping[scheduler.count++] = handle;
  }
  void await_resume() {}
};

// It is not destroyed at its end, and has a byte that its end changes.
struct Kept {
  struct promise_type {
    bool has_ended = false;
    struct Final {
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> of) noexcept {
        of.promise().has_ended = true;
      }
      void await_resume() noexcept {}
    };
    Kept get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
struct Number {
  int number;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { never.waiters.push_back(handle); }
  int await_resume() { return number; }
};

constexpr int line_of_loop = __LINE__ + 3;
Pooled loop(int number) {
  for (int i = 0; i < 1000; i++) {
    co_await NextTick{};
    sink = number;
  }
}
constexpr int line_of_nested = __LINE__ + 4;
Kept nested(int) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      if (i == j) sink = co_await Number{1};
}
constexpr int line_of_caught = __LINE__ + 6;
Kept caught(int number) {
  try {
    if (number > 0) throw number;
  } catch (int) {
  }
  co_await Number{number};
}
constexpr int line_of_later = __LINE__ + 3;
Kept later(int number) {
  sink = number;
  co_await Number{number};
}

inline int one = 1;

void begin() {
  loop(1);
  at("loop", line_of_loop, "NextTick");
  loop(2);
  at("loop", line_of_loop, "NextTick");
  nested(one);
  at("nested", line_of_nested, "Number");
  caught(one);
  at("caught", line_of_caught, "Number");
  later(one);
  at("later", line_of_later, "Number");
}

}  // namespace SPACE

int main() {
  SPACE::begin();
  ready();
}
