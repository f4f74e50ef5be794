// A program with every annotation. disabled_test.py compiles it with SKEIN_DISABLE, and once more
// without the lines marked `// skein`: the object code must be the same.
#include <skein/record.h>  // skein

#include <coroutine>
#include <exception>

struct Task {
  struct promise_type {
    int value = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(int v) { value = v; }
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

int work(int);
extern const char* name;

static skein::counter done("done");  // skein

Task coroutine(int n) {
  SKEIN_LABEL("coroutine");  // skein
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    SKEIN_SPAN("step");       // skein
    SKEIN_COUNT("steps", 1);  // skein
    SKEIN_GAUGE("at", i);     // skein
    sum += work(i);
    done.add(1);  // skein
    co_await std::suspend_always{};
  }
  skein::should_resolve();  // skein
  co_return sum;
}

int function(int x) {
  skein::task request("request");  // skein
  skein::running now(request);     // skein
  skein::label(name);              // skein
  request.label("of a task");      // skein
  request.should_resolve();        // skein
  const int result = work(x) + work(x + 1);
  skein::pause(1, 100);  // skein
  skein::send(1, 2);     // skein
  skein::receive(1, 2);  // skein
  request.resolve();     // skein
  return result;
}
