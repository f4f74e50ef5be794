// A program with a bug for every lint that needs no event loop. It prints the names of the lints
// that `skein doctor` must report for its trace.
#include <skein/record.h>
#include <skein/sync.h>

#include <chrono>
#include <cstdio>
#include <vector>

#include "examples/task.h"

namespace {

using Clock = std::chrono::steady_clock;

task<int> takes_both(skein::mutex& first, skein::mutex& second) {
  auto one = co_await first.lock();   // place: first
  auto two = co_await second.lock();  // place: second
  co_return 0;
}

task<int> holds(skein::mutex& door, skein::condition& opened) {
  auto held = co_await door.lock();
  co_await opened.wait();  // place: held
  co_return 0;
}
task<int> wants(skein::mutex& door) {
  auto held = co_await door.lock();
  co_return 0;
}

task<int> forgotten() { co_return 0; }  // place: forgotten

task<int> consumer(skein::condition& tick, skein::channel<int>& jobs) {
  for (;;) {
    co_await tick.wait();
    const auto job = co_await jobs.receive();  // not in the if, which g++ 12 miscompiles
    if (!job) co_return 0;
  }
}
// Sends three jobs for each that the consumer receives. Opens as many "connections" and closes
// some of them.
task<int> producer(skein::condition& tick, skein::channel<int>& jobs, Clock::duration time) {
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    for (int i = 0; i < 3; ++i) co_await jobs.send(i);
    SKEIN_COUNT("connections", 3);
    SKEIN_COUNT("connections", -1);
    SKEIN_COUNT("jobs", 3);
    tick.notify_one();
    for (int i = 0; i < 20000; ++i) asm volatile("");
  }
  co_return 0;
}

// Waits in a queue while the producer runs.
struct queued {
  std::coroutine_handle<>& place;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> self) { place = self; }
  void await_resume() const noexcept {}
};
task<int> waits_for_its_turn(std::coroutine_handle<>& place) {
  co_await queued{place};
  co_return 0;
}

}  // namespace

int main() {
  skein::mutex a("a"), b("b"), door("door");
  skein::condition opened("opened"), tick("tick");
  skein::channel<int> jobs("jobs", 100'000'000);

  std::puts("lock-order-cycle");
  task<int> one = takes_both(a, b);
  one.start();
  task<int> two = takes_both(b, a);
  two.start();

  std::puts("lock-across-wait");
  task<int> holder = holds(door, opened);
  holder.start();
  task<int> waiter = wants(door);
  waiter.start();
  opened.notify_one();

  std::puts("destroyed-unresolved");
  std::puts("notify-before-wait");
  {
    skein::condition answer("answer");
    answer.notify_one();  // place: too early
    task<int> asks = [](skein::condition& c) -> task<int> {
      skein::should_resolve();
      co_await c.wait();  // place: too late
      co_return 0;
    }(answer);
    asks.start();
  }

  std::puts("ran-too-long");
  std::puts("queue-only-grows");
  std::puts("counter-only-grows");
  task<int> takes = consumer(tick, jobs);
  takes.start();
  std::coroutine_handle<> delayed;
  task<int> other = waits_for_its_turn(delayed);
  other.start();
  task<int> makes = producer(tick, jobs, std::chrono::milliseconds(200));
  makes.start();
  delayed.resume();

  std::puts("never-started");
  (void)forgotten();  // no task runs after this
}
