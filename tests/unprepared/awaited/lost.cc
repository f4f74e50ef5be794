// Coroutines that nothing can resume, and others whose addresses are in unusual places.
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "detached.h"

namespace {

// Nothing keeps the handle. The compiler must not know, or it allocates no frame.
struct Drop {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { asm volatile("" : : "r"(handle.address()) : "memory"); }
  void await_resume() {}
};

template <typename Keep>
struct KeptBy {
  Keep keep;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { keep(handle, this); }
  void await_resume() {}
};
template <typename Keep>
KeptBy<Keep> kept_by(Keep keep) {
  return {keep};
}

struct Task {
  struct promise_type {
    std::coroutine_handle<> continuation = {};
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> of) {
    handle.promise().continuation = of;
    return handle;
  }
  void await_resume() {}
};

#pragma pack(push, 1)
struct Packed {
  char flags;
  void* address;
};
#pragma pack(pop)

std::vector<std::coroutine_handle<>> handles;
std::map<int, void*> awaiters;
volatile Packed packed{};
volatile uint64_t with_flags = 0;
volatile uint64_t compressed = 0;

Detached lost() { co_await Drop(); }
Task inner() { co_await Drop(); }
Detached outer() { co_await inner(); }
Detached in_vector() {
  co_await kept_by([](std::coroutine_handle<> handle, void*) { handles.push_back(handle); });
}
Detached by_awaiter() {
  co_await kept_by([](std::coroutine_handle<>, void* awaiter) { awaiters[1] = awaiter; });
}
Detached in_packed() {
  co_await kept_by([](std::coroutine_handle<>, void* awaiter) { packed.address = awaiter; });
}
Detached in_flags() {
  co_await kept_by([](std::coroutine_handle<> handle, void*) {
    with_flags = reinterpret_cast<uint64_t>(handle.address()) | uint64_t{0x8001} << 48;
  });
}
Detached in_shifted() {
  co_await kept_by([](std::coroutine_handle<> handle, void*) {
    compressed = reinterpret_cast<uint64_t>(handle.address()) << 16 | 7;
  });
}

[[gnu::noinline]] void begin() {
  lost();
  lost();
  outer();
  in_vector();
  by_awaiter();
  in_packed();
  in_flags();
  in_shifted();
}
// Overwrites what begin() has left on the stack.
[[gnu::noinline]] void clear_stack() {
  volatile char bytes[16384];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 1;
}

}  // namespace

int main() {
  begin();
  clear_stack();
  std::puts("lost lost");
  std::puts("lost lost");
  std::puts("lost inner");
  ready();
}
