// A promise with its own allocation functions, of which only one is inline.
#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>

static int frames = 0;

struct Counted {
  static void* operator new(std::size_t size) {
    ++frames;
    return ::operator new(size);
  }
  static void operator delete(void* frame) noexcept;
};

template <class T>
struct Numbers {
  struct promise_type : Counted {
    Numbers get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
    T value;
  };
  ~Numbers() { handle.destroy(); }
  std::coroutine_handle<promise_type> handle;
};

Numbers<int> up_to(int n) {
  for (int i = 0; i < n; ++i) co_yield i;
}

int main() {
  int sum = 0;
  {
    Numbers<int> numbers = up_to(4);
    for (numbers.handle.resume(); !numbers.handle.done(); numbers.handle.resume())
      sum += numbers.handle.promise().value;
  }
  return sum == 6 && frames == 0 ? 0 : 1;
}

void Counted::operator delete(void* frame) noexcept {
  --frames;
  ::operator delete(frame);
}
