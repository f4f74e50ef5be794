// Coroutines that wait at one place, whose number clang stores together with other bytes 0 or from a
// register, beside those of promises, awaiters and parameters.
#include <optional>

#include "places.h"

namespace SPACE {

volatile int sink = 0;

template <typename Base>
struct Starts {
  struct promise_type : Base {
    Starts get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
struct Nothing {};
struct Byte {
  bool is_cancelled = false;
};
struct Bytes {
  char state = 0;
  bool is_first = false;
  bool is_second = true;
};
struct Optional {
  std::optional<int> value;
};
struct Pointer {
  void* owner = nullptr;
  bool is_owned = false;
};
struct Flag {
  bool is_set = false;
  bool await_ready() { return is_set; }
  void await_suspend(std::coroutine_handle<> handle) { never.waiters.push_back(handle); }
  int await_resume() { return is_set ? 1 : 7; }
};

Starts<Nothing> nothing() {
  AT("Event");
  co_await never;
}

Starts<Byte> byte() {
  AT("Event");
  co_await never;
}

Starts<Bytes> bytes() {
  AT("Event");
  co_await never;
}

Starts<Optional> optional() {
  AT("Event");
  co_await never;
}

Starts<Pointer> pointer() {
  AT("Event");
  co_await never;
}

Starts<Byte> in_loop(int count) {
  while (count-- > 0) {
    AT("Event");
    co_await never;
  }
}

Starts<Byte> flag(int number) {
  AT("Flag");
  const int result = co_await Flag{};
  sink = result + number;
}

Starts<Byte> parameters(char first, bool second) {
  AT("Event");
  co_await never;
  sink = first + (second ? 1 : 0);
}

Starts<Pointer> unused_flag(char first, bool second) {
  AT("Flag");
  co_await Flag{};
  sink = first + (second ? 1 : 0);
}

// Constants would be stored together with the number, which leaves no line.
inline volatile char letter = 'a';
inline volatile bool is_used = true;

void begin() {
  nothing();
  byte();
  bytes();
  optional();
  pointer();
  in_loop(3);
  flag(1);
  parameters(letter, is_used);
  unused_flag(letter, is_used);
}

}  // namespace SPACE

int main() {
  SPACE::begin();
  ready();
}
