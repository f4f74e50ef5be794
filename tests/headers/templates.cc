// Coroutines that use each kind of twin in skein/coroutine.h. All templates of the program are
// instantiated explicitly, so that it also links with -fno-implicit-templates.
#include <coroutine>
#include <cstdio>
#include <exception>

template <class T>
struct Task {
  struct promise_type {
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(T v) { value = v; }
    std::suspend_always yield_value(T v) {
      value = v;
      return {};
    }
    void unhandled_exception() { std::terminate(); }
    T value;
  };
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(Task&& other) : handle(other.handle) { other.handle = nullptr; }
  ~Task() {
    if (handle) handle.destroy();
  }
  bool await_ready() { return handle.done(); }
  void await_suspend(std::coroutine_handle<>) { handle.resume(); }
  T await_resume() { return handle.promise().value; }
  std::coroutine_handle<promise_type> handle;
};
struct Awaitable {
  int value;
  Awaitable operator co_await() && { return *this; }
  bool await_ready() { return true; }
  void await_suspend(std::coroutine_handle<>) {}
  int await_resume() { return value; }
};
struct Free {
  int value;
};
inline Awaitable operator co_await(Free f) { return {f.value}; }
struct Text {
  const char* text;
  Text(const char* t) : text(t) {}
  ~Text() {}
};
// Overloads of await_transform, one of which converts its operand, and of yield_value.
struct Transforms {
  struct promise_type {
    Transforms get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
    Awaitable await_transform(int n) { return {n}; }
    Awaitable await_transform(Free f) { return {f.value + 1}; }
    Awaitable await_transform(const Text& t) { return {t.text[0]}; }
    std::suspend_never yield_value(int) { return {}; }
    std::suspend_never yield_value(const char*) { return {}; }
  };
};
struct NonTrivial {
  int value;
  NonTrivial(int n) : value(n) {}
  NonTrivial(const NonTrivial& o) : value(o.value) {}
  ~NonTrivial() {}
};
struct One {
  struct promise_type {
    One get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
    Awaitable await_transform(NonTrivial n) { return {n.value}; }
    std::suspend_never yield_value(NonTrivial) { return {}; }
  };
};
static Task<int> inner(int n) {
  co_yield n;
  int x = co_await Awaitable{n};
  x += co_await Free{2};
  co_return x + n;
}
static Task<long> outer(int n) {
  long y = co_await inner(n);
  co_return y;
}
static Transforms transforms(int* sum) {
  *sum += co_await 3;
  *sum += co_await Free{4};
  *sum += co_await "x";
  co_yield 1;
  co_yield "x";
}
static One one(int* sum) {
  *sum += co_await NonTrivial{3};
  co_yield NonTrivial{1};
}
template struct Task<int>;
template struct Task<long>;
int main() {
  auto t = outer(3);
  int sum = 0;
  transforms(&sum);
  one(&sum);
  std::printf("%d %d\n", (int)t.handle.done(), sum);
}
