// Frames in memory of the program's own: static, mapped, and a pool, with the handles behind them.
#include <sys/mman.h>

#include <cstdlib>

#include "places.h"

namespace SPACE {

volatile int sink = 0;
static char* place = nullptr;

struct Placed {
  struct promise_type {
    static void* operator new(std::size_t size) { return place ? place : std::malloc(size); }
    static void operator delete(void*) {}
    Placed get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

Placed in_static(int number) {
  AT("-");
  co_await std::suspend_always{};
  sink = number;
}
Placed in_mapping(int number) {
  AT("-");
  co_await std::suspend_always{};
  sink = number;
}
Placed in_heap(int number) {
  AT("-");
  co_await std::suspend_always{};
  sink = number;
}

alignas(16) static char buffer[1024];
static std::coroutine_handle<> handles[3];
std::coroutine_handle<>* volatile all = handles;

[[noreturn]] void begin() {
  place = buffer;
  all[0] = in_static(1).handle;
  all[0].resume();
  place = static_cast<char*>(
      mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  all[1] = in_mapping(2).handle;
  all[1].resume();
  place = nullptr;
  all[2] = in_heap(3).handle;
  all[2].resume();
  ready();
}

}  // namespace SPACE

int main() { SPACE::begin(); }
