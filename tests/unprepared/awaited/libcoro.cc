// Coroutines that wait for objects of libcoro.
#include <coro/condition_variable.hpp>
#include <coro/event.hpp>
#include <coro/latch.hpp>
#include <coro/mutex.hpp>
#include <coro/queue.hpp>
#include <coro/ring_buffer.hpp>
#include <coro/semaphore.hpp>
#include <coro/task.hpp>
#include <coro/when_all.hpp>
#include <coro/when_any.hpp>
#include <utility>
#include <vector>

#include "detached.h"

namespace {

coro::event never;
coro::event gate;
coro::mutex kept;
coro::mutex first;
coro::mutex second;
coro::mutex again;
coro::mutex around;
coro::latch latch{2};

Detached keeper() {
  auto guard = co_await kept.scoped_lock();
  co_await never;
}
// The guard is empty, and not at its end.
Detached early() {
  auto guard = co_await kept.scoped_lock();
  guard.unlock();
  co_await never;
}
Detached wanter(coro::mutex& lock) {
  auto guard = co_await lock.scoped_lock();
  co_await never;
}
coro::task<> inner() {
  auto guard = co_await second.scoped_lock();
  co_await never;
}
Detached forward() {
  auto one = co_await first.scoped_lock();
  co_await gate;
  co_await inner();
}
Detached backward() {
  auto other = co_await second.scoped_lock();
  co_await gate;
  auto one = co_await first.scoped_lock();
  co_await never;
}
// It waits for itself.
Detached twice() {
  auto one = co_await again.scoped_lock();
  auto other = co_await again.scoped_lock();
  co_await never;
}
Detached on_latch() { co_await latch; }
Detached on_semaphore(coro::semaphore<2>& semaphore) { co_await semaphore.acquire(); }
Detached on_queue(coro::queue<int>& queue) { co_await queue.pop(); }
Detached on_ring(coro::ring_buffer<int, 3>& ring) { co_await ring.consume(); }
Detached on_condition(coro::condition_variable& condition, coro::mutex& lock) {
  auto guard = co_await lock.scoped_lock();
  co_await condition.wait(guard);
}
coro::task<> child() { co_await never; }
coro::task<> short_child() { co_return; }
Detached parent() { co_await coro::when_all(child(), short_child(), child()); }
// It has ended, and its controller waits for the other operand: what follows has its memory.
Detached gone() { co_await coro::when_any(short_child(), child()); }
// One operand waits for it, and the other one may end: no deadlock.
coro::task<> needs_around() { auto guard = co_await around.scoped_lock(); }
Detached first_of_two() {
  auto guard = co_await around.scoped_lock();
  co_await coro::when_any(needs_around(), child());
}
Detached first_of_many() {
  std::vector<coro::task<>> all;
  for (int i = 0; i < 3; i++) all.push_back(child());
  co_await coro::when_any(std::move(all));
}

}  // namespace

int main() {
  const char* event = "coro::event";
  const char* mutex = "coro::mutex";
  coro::semaphore<2> semaphore{0};
  coro::queue<int> queue;
  coro::ring_buffer<int, 3> ring;
  coro::condition_variable condition;
  coro::mutex condition_lock;
  early();
  keeper();
  wanter(kept);
  wanter(kept);
  forward();
  backward();
  twice();
  gate.set();
  on_latch();
  on_semaphore(semaphore);
  on_semaphore(semaphore);
  on_queue(queue);
  on_ring(ring);
  on_condition(condition, condition_lock);
  parent();
  gone();
  first_of_two();
  first_of_many();

  waits("keeper", &never, event);
  waits("early", &never, event);
  waits("wanter", &kept, mutex);
  waits("wanter", &kept, mutex);
  held(&kept, "keeper");
  waits("inner", &second, mutex);
  waits("backward", &first, mutex);
  held(&first, "forward");
  held(&second, "backward");
  deadlock("forward");
  deadlock("backward");
  waits("twice", &again, mutex);
  held(&again, "twice");
  deadlock("twice");
  waits("on_latch", reinterpret_cast<const char*>(&latch) + 8, event);
  waits("acquire", &semaphore, "coro::semaphore");
  waits("acquire", &semaphore, "coro::semaphore");
  waits("pop", &queue, "coro::queue");
  waits("consume", &ring, "coro::ring_buffer");
  waits("on_condition", &condition, "coro::condition_variable");
  for (int i = 0; i < 7; i++) waits("child", &never, event);
  joins("parent", 2, 3);
  waits("needs_around", &around, mutex);
  held(&around, "first_of_two");
  joins("when_any", 2, 2);
  joins("make_when_any_tuple_controller_task", 3, 4);
  joins("make_when_any_controller_task_return_void", 3, 3);
  ready();
}
