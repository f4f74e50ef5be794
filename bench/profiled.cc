// The program that bench/profiled samples: CALLS calls through a chain of coroutines, each of which works
// for 10 to 20 us below some functions. Prints the ns of its own CPU time, user and system.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "bench/task.h"

namespace {

volatile uint64_t sink = 0;

[[gnu::noinline]] uint64_t work(int depth, uint64_t seed) {
  if (depth > 0) return work(depth - 1, seed) + 1;
  for (int i = 0; i < 10'000; i++) seed = seed * 6364136223846793005 + 1442695040888963407;
  return seed;
}

Task<true> parse(uint64_t seed) {
  sink = sink + work(8, seed);
  co_return;
}
Task<true> reply(uint64_t seed) {
  co_await parse(seed);
  sink = sink + work(4, seed);
}
Task<true> session(uint64_t seed) {
  co_await reply(seed);
  co_await parse(seed + 1);
}
Task<true> server(int calls) {
  for (int i = 0; i < calls; i++) co_await session(static_cast<uint64_t>(i));
}

}  // namespace

int main(int, char** words) {
  {
    Task<true> all = server(std::atoi(words[1]));
    all.handle.resume();
  }
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  const auto ns = [](const timeval& time) { return time.tv_sec * 1'000'000'000LL + time.tv_usec * 1000LL; };
  std::printf("%lld\n", ns(used.ru_utime) + ns(used.ru_stime));
}
