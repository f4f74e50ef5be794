// Threads that wait: one sleeps often, one waits for a lock. Prints how long, in ns, by its own clock.
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::mutex lock;
std::chrono::nanoseconds slept{}, waited{};

__attribute__((noinline)) void sleep_often() {
  for (int i = 0; i < 50; i++) {
    const Clock::time_point begin = Clock::now();
    std::this_thread::sleep_for(10ms);
    slept += Clock::now() - begin;
  }
}

__attribute__((noinline)) void wait_for_lock() {
  const Clock::time_point begin = Clock::now();
  const std::lock_guard guard(lock);
  waited = Clock::now() - begin;
}

volatile unsigned sink;

int main() {
  for (unsigned i = 0; i < 20'000'000; i++) sink = sink + 1;  // for some samples
  lock.lock();
  std::thread sleeper(sleep_often);
  std::thread waiter(wait_for_lock);
  std::this_thread::sleep_for(300ms);
  lock.unlock();
  sleeper.join();
  waiter.join();
  std::printf("sleep_often %lld\nwait_for_lock %lld\n", static_cast<long long>(slept.count()),
              static_cast<long long>(waited.count()));
}
