// Four threads that work and wait in turns that are shorter than the interval of a profiler. Prints
// the CPU time that they have used, in ns.
#include <time.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

int64_t now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

__attribute__((noinline)) void work(int64_t ns) {
  const int64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (now(CLOCK_THREAD_CPUTIME_ID) < end)
    for (int i = 0; i < 1'000; ++i) __asm__ volatile("");
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int round = 0; round < 800; ++round) {
        work(400'000);
        std::this_thread::sleep_for(std::chrono::microseconds(300));
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("%lld\n", static_cast<long long>(now(CLOCK_PROCESS_CPUTIME_ID)));
  return 0;
}
