// Coroutines that wait for objects of folly, or of types like them.
#ifdef IS_INSTALLED
#include <folly/coro/Baton.h>
#include <folly/coro/Collect.h>
#include <folly/coro/Mutex.h>
#include <folly/coro/Task.h>
#include <folly/executors/ManualExecutor.h>
#else
#include "imitated/folly.h"
#endif

#include "detached.h"

using folly::coro::Baton;
using folly::coro::Mutex;
using folly::coro::Task;

namespace {

folly::ManualExecutor executor;
Baton never;
Baton gate;
Baton late;
Mutex kept;
Mutex raw;
Mutex first;
Mutex second;

Task<void> leaf() { co_await never; }
Task<void> middle() { co_await leaf(); }
Task<void> outer() { co_await middle(); }
Task<void> keeper(Mutex& lock) {
  auto guard = co_await lock.co_scoped_lock();
  co_await never;
}
Task<void> wanter(Mutex& lock) {
  auto guard = co_await lock.co_scoped_lock();
  co_await never;
}
// Its guard is gone, with its bytes in the frame.
Task<void> former(Mutex& lock) {
  {
    auto guard = co_await lock.co_scoped_lock();
    std::printf("former\n");
  }
  co_await never;
}
Task<void> without_guard(Mutex& lock) {
  co_await lock.co_lock();
  co_await never;
}
Task<void> in_turn(Mutex& lock) {
  auto guard = co_await lock.co_scoped_lock();
  co_await never;
}
Task<void> forward() {
  auto one = co_await first.co_scoped_lock();
  co_await gate;
  auto other = co_await second.co_scoped_lock();
  co_await never;
}
Task<void> backward() {
  auto other = co_await second.co_scoped_lock();
  co_await gate;
  auto one = co_await first.co_scoped_lock();
  co_await never;
}
// Its executor has it, but runs nothing any more.
Task<void> scheduled() {
  co_await late;
  co_await never;
}
Task<void> child() { co_await never; }
Task<void> short_child() { co_return; }
Task<void> parent() {
#ifdef IS_INSTALLED
  co_await folly::coro::collectAll(child(), child(), short_child());
#else
  co_await folly::coro::detail::collectAllImpl(&executor, child(), child(), short_child());
#endif
}

void start(Task<void> task) {
  std::move(task).scheduleOn(&executor).start([](auto&&) {});
}

}  // namespace

int main() {
  const char* baton = "folly::coro::Baton";
  const char* mutex = "folly::coro::Mutex";
  start(outer());
  start(keeper(kept));
  for (int i = 0; i < 5; i++) start(wanter(kept));
  start(former(raw));
  start(without_guard(raw));
  start(in_turn(raw));
  start(forward());
  start(backward());
  start(parent());
  start(scheduled());
  executor.drain();
  gate.post();
  executor.drain();
  late.post();

  waits("leaf", &never, baton);
  awaits("outer", "middle");
  awaits("middle", "leaf");
  waits("keeper", &never, baton);
  for (int i = 0; i < 5; i++) waits("wanter", &kept, mutex);
  held(&kept, "keeper");
  waits("former", &never, baton);
  waits("without_guard", &never, baton);
  waits("in_turn", &raw, mutex);
  no_holder(&raw);
  waits("forward", &second, mutex);
  waits("backward", &first, mutex);
  held(&first, "forward");
  held(&second, "backward");
  // The coroutines that run them wait for them.
  deadlock("startImpl");
  deadlock("startImpl");
  waits("scheduled", static_cast<folly::Executor*>(&executor), "folly::Executor");
  waits("child", &never, baton);
  waits("child", &never, baton);
  joins("collectAllImpl", 2, 3);
  ready();
}
