// Threads that cannot go on, in one of several ways. Prints "ready" when they are there.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <latch>
#include <mutex>
#include <semaphore>
#include <string_view>
#include <thread>

namespace {

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

struct Event {
  std::coroutine_handle<> waiter;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) { waiter = handle; }
  void await_resume() {}
};

Task waits(Event& event) { co_await event; }

std::mutex first;
std::mutex second;
std::latch both{2};

void ready() {
  std::puts("ready");
  std::fflush(stdout);
}

Task takes_second(Event& event) {
  const std::lock_guard holds(first);
  both.arrive_and_wait();
  const std::lock_guard waits(second);
  co_await event;
}

Task takes_first(Event& event) {
  const std::lock_guard holds(second);
  both.arrive_and_wait();
  const std::lock_guard waits(first);
  co_await event;
}

Task sleeps_with_lock(Event& event) {
  const std::lock_guard holds(first);
  both.arrive_and_wait();
  std::this_thread::sleep_for(std::chrono::hours(1));
  co_await event;
}

Task computes_with_lock(Event& event) {
  const std::lock_guard holds(first);
  both.arrive_and_wait();
  for (volatile unsigned i = 0;;) i = i + 1;
  co_await event;
}

Task needs_lock(Event& event) {
  both.arrive_and_wait();
  const std::lock_guard waits(first);
  co_await event;
}

// Threads that all wait for the same mutex.
void start_crowd(int count) {
  for (int i = 0; i < count; i++) std::thread([] { const std::lock_guard waits(first); }).detach();
}

[[noreturn]] void sleep_for_good() {
  for (;;) pause();
}

}  // namespace

int main(int, char** words) {
  const std::string_view mode = words[1];
  Event events[3];
  waits(events[0]);
  const auto both_run = [&](auto one, auto other) {
    std::thread([&, one] { one(events[1]); }).detach();
    std::thread([&, other] { other(events[2]); }).detach();
  };
  if (mode == "left") {
    std::thread([] {
      ready();
      sleep_for_good();
    }).detach();
    pthread_exit(nullptr);
  }
  if (mode == "deadlock") both_run(takes_second, takes_first);
  if (mode == "held") both_run(sleeps_with_lock, needs_lock);
  if (mode == "computes") both_run(computes_with_lock, needs_lock);
  if (mode == "crowd") {
    first.lock();
    start_crowd(50);
  }
  if (mode == "crowd-deadlock") {
    both_run(takes_second, takes_first);
    usleep(300'000);  // both wait, so that the crowd is behind them
    start_crowd(50);
  }
  if (mode == "named") {
    pthread_setname_np(pthread_self(), "</script>\x1b[2J\n");
    std::thread([] {
      pthread_setname_np(pthread_self(), "<b>\xe2\x80\xae\r=1");
      sleep_for_good();
    }).detach();
  }
  if (mode == "itself") {
    first.lock();
    std::thread([] {
      second.lock();
      second.lock();
    }).detach();
  }
  std::condition_variable_any condition;
  std::counting_semaphore<1> semaphore{0};
  if (mode == "others") {
    std::thread([&] {
      std::unique_lock lock(first);
      condition.wait(lock);
    }).detach();
    std::thread([&] { semaphore.acquire(); }).detach();
  }
  if (mode == "sleeps") {
    ready();
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  if (mode == "many") {
    for (int i = 0; i < 300; i++) std::thread(sleep_for_good).detach();
  }
  ready();
  if (mode == "stopped") raise(SIGSTOP);
  sleep_for_good();
}
