// One run of the coroutine benchmark; compiled twice into bench_coroutine: with the flags and
// annotations of skein_coroutine, and without them (SKEIN_DISABLE).
//
// The analogue of mirage-profile's own benchmark: two named promises, a coroutine that awaits both,
// both resolved, one counter.
#include <skein/task.h>

#include <coroutine>
#include <cstdint>

#ifndef BENCH_RUN
#error "BENCH_RUN names the function"
#endif

namespace {

struct Future {
  skein_task task = {};
  bool done = false;
  std::coroutine_handle<> waiting;

  explicit Future(uint32_t label) {
    if (skein_enabled()) skein_create_labelled(&task, SKEIN_KIND_promise, nullptr, nullptr, label);
  }
  bool await_ready() const { return done; }
  void await_suspend(std::coroutine_handle<> handle) { waiting = handle; }
  void await_resume() const {}
  uint64_t skein_awaits() const { return task.id; }
  void resolve() {
    done = true;
    skein::resolve_and_resume(task, waiting);
  }
};

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  ~Task() { handle.destroy(); }
};

Task both(Future& a, Future& b) {
  co_await a;
  co_await b;
}

}  // namespace

[[gnu::noinline]] void BENCH_RUN(uint32_t first, uint32_t second, uint32_t counter) {
  Future a(first);
  Future b(second);
  Task task = both(a, b);
  a.resolve();
  b.resolve();
  if (skein_enabled()) skein_counter_add(counter, 1);
}
