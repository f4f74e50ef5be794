// Coroutines that wait for objects of cppcoro.
#include <cppcoro/async_auto_reset_event.hpp>
#include <cppcoro/async_latch.hpp>
#include <cppcoro/async_manual_reset_event.hpp>
#include <cppcoro/async_mutex.hpp>
#include <cppcoro/shared_task.hpp>
#include <cppcoro/single_consumer_async_auto_reset_event.hpp>
#include <cppcoro/single_consumer_event.hpp>
#include <cppcoro/task.hpp>
#include <cppcoro/when_all_ready.hpp>

#include "detached.h"

using namespace cppcoro;

namespace {

async_manual_reset_event never;
async_manual_reset_event gate;
async_mutex kept;
async_mutex raw;
async_mutex first;
async_mutex second;
async_auto_reset_event pulse;
single_consumer_event single;
single_consumer_async_auto_reset_event single_pulse;
async_latch latch{2};

Detached keeper(async_mutex& lock) {
  auto guard = co_await lock.scoped_lock_async();
  co_await never;
}
Detached wanter(async_mutex& lock) {
  auto guard = co_await lock.scoped_lock_async();
  co_await never;
}
// Its guard is gone, with its bytes in the frame.
Detached former(async_mutex& lock) {
  {
    auto guard = co_await lock.scoped_lock_async();
    std::printf("former\n");
  }
  co_await never;
}
Detached without_guard(async_mutex& lock) {
  co_await lock.lock_async();
  co_await never;
}
Detached in_turn(async_mutex& lock) {
  auto guard = co_await lock.scoped_lock_async();
  co_await never;
}
Detached forward() {
  auto one = co_await first.scoped_lock_async();
  co_await gate;
  auto other = co_await second.scoped_lock_async();
  co_await never;
}
Detached backward() {
  auto other = co_await second.scoped_lock_async();
  co_await gate;
  auto one = co_await first.scoped_lock_async();
  co_await never;
}
// In a loop, the last round's guard is still in the frame where this round's is not yet.
Detached rounds(async_mutex& lock, async_auto_reset_event& next) {
  while (true) {
    co_await next;
    auto guard =
        co_await lock.scoped_lock_async();
    std::printf("round\n");
  }
}
Detached on_pulse() { co_await pulse; }
Detached on_single() { co_await single; }
Detached on_single_pulse() { co_await single_pulse; }
Detached on_latch() { co_await latch; }
task<> child() { co_await never; }
task<> short_child() { co_return; }
Detached parent() { co_await when_all_ready(child(), child(), short_child()); }
// One of those that it waits for together waits for its lock.
async_mutex joined;
task<> locking_child() { auto guard = co_await joined.scoped_lock_async(); }
task<> middle_child() { co_await locking_child(); }
Detached locking_parent() {
  auto guard = co_await joined.scoped_lock_async();
  co_await when_all_ready(middle_child(), short_child());
}
// One of them has the guard, and may release it.
async_mutex lent;
task<> releasing_child(async_mutex_lock& guard) {
  co_await never;
  const async_mutex_lock own = std::move(guard);
}
task<> lent_child() { auto guard = co_await lent.scoped_lock_async(); }
Detached lending_parent() {
  auto guard = co_await lent.scoped_lock_async();
  co_await when_all_ready(releasing_child(guard), lent_child());
}
shared_task<> shared_work() { co_await never; }
Detached on_shared(shared_task<> work) { co_await work; }

}  // namespace

int main() {
  const char* event = "cppcoro::async_manual_reset_event";
  const char* mutex = "cppcoro::async_mutex";
  keeper(kept);
  for (int i = 0; i < 5; i++) wanter(kept);
  former(raw);
  without_guard(raw);
  in_turn(raw);
  async_mutex loop;
  async_auto_reset_event next;
  rounds(loop, next);
  next.set();
  without_guard(loop);
  in_turn(loop);
  forward();
  backward();
  gate.set();
  on_pulse();
  on_pulse();
  on_single();
  on_single_pulse();
  on_latch();
  parent();
  locking_parent();
  lending_parent();
  auto work = shared_work();
  on_shared(work);
  on_shared(work);

  waits("keeper", &never, event);
  for (int i = 0; i < 5; i++) waits("wanter", &kept, mutex);
  held(&kept, "keeper");
  waits("former", &never, event);
  waits("without_guard", &never, event);
  waits("without_guard", &never, event);
  waits("in_turn", &raw, mutex);
  no_holder(&raw);
  waits("rounds", &next, "cppcoro::async_auto_reset_event");
  waits("in_turn", &loop, mutex);
  no_holder(&loop);
  waits("forward", &second, mutex);
  waits("backward", &first, mutex);
  held(&first, "forward");
  held(&second, "backward");
  deadlock("forward");
  deadlock("backward");
  waits("on_pulse", &pulse, "cppcoro::async_auto_reset_event");
  waits("on_pulse", &pulse, "cppcoro::async_auto_reset_event");
  waits("on_single", &single, "cppcoro::single_consumer_event");
  waits("on_single_pulse", &single_pulse, "cppcoro::single_consumer_async_auto_reset_event");
  // The latch has an event behind its count.
  waits("on_latch", reinterpret_cast<const char*>(&latch) + 8, event);
  waits("child", &never, event);
  waits("child", &never, event);
  joins("parent", 2, 3);
  waits("releasing_child", &never, event);
  waits("lent_child", &lent, mutex);
  no_holder(&lent);
  joins("lending_parent", 2, 2);
  waits("locking_child", &joined, mutex);
  awaits("middle_child", "locking_child");
  held(&joined, "locking_parent");
  joins("locking_parent", 1, 2);
  deadlock("locking_parent");
  deadlock("middle_child");
  waits("shared_work", &never, event);
  ready();
}
